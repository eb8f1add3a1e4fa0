//! Options from a JavaScript object, member by member, and back.

use crate::policy::{ConfigFaults, Fault, Policy, Value};
use js_sys::{Array, Function, JsString, Object, Reflect};
use serde::Serialize;
use wasm_bindgen::prelude::*;

/// How deep lists and objects may nest: no option needs more.
const DEPTH: u8 = 3;

/// Reads every own enumerable member; one whose getter throws counts as a wrong value.
pub fn read(options: &JsValue) -> Result<Policy, ConfigFaults> {
    Policy::read(&members(options, DEPTH))
}

fn members(object: &JsValue, depth: u8) -> Vec<(String, Value)> {
    let keys = Object::keys(object.unchecked_ref::<Object>());
    keys.iter()
        .filter_map(|key| {
            let value = Reflect::get(object, &key).map_or(Value::Other, |value| from_js(&value, depth));
            Some((key.as_string()?, value))
        })
        .collect()
}

fn from_js(value: &JsValue, depth: u8) -> Value {
    if value.is_undefined() {
        Value::Undefined
    } else if let Some(flag) = value.as_bool() {
        Value::Flag(flag)
    } else if let Some(number) = value.as_f64() {
        Value::Number(number)
    } else if let Some(text) = value.dyn_ref::<JsString>() {
        Value::Text(text.into())
    } else if value.is_instance_of::<Function>() {
        Value::Function
    } else if depth == 0 {
        Value::Other
    } else if Array::is_array(value) {
        Value::List(value.unchecked_ref::<Array>().iter().map(|item| from_js(&item, depth - 1)).collect())
    } else if value.is_object() {
        Value::Record(record(value, depth - 1))
    } else {
        Value::Other
    }
}

/// A clock may be an instance whose functions its class holds, so those are looked for too.
fn record(object: &JsValue, depth: u8) -> Vec<(String, Value)> {
    let mut own = members(object, depth);
    for name in ["now", "mono", "sleep"] {
        if own.iter().all(|(known, _)| known != name) {
            let inherited = Reflect::get(object, &name.into()).unwrap_or(JsValue::UNDEFINED);
            if inherited.is_function() {
                own.push((name.to_owned(), Value::Function));
            }
        }
    }
    own
}

/// The options in force as an object.
pub fn resolved(policy: &Policy) -> JsValue {
    let object = Object::new();
    for (name, value) in policy.resolved() {
        set(&object, name, &value);
    }
    object.into()
}

fn set(object: &Object, name: &str, value: &Value) {
    // A fresh object takes any member.
    let _ = Reflect::set(object, &name.into(), &into_js(value));
}

fn into_js(value: &Value) -> JsValue {
    match value {
        Value::Flag(flag) => JsValue::from_bool(*flag),
        Value::Number(number) => JsValue::from_f64(*number),
        Value::Text(text) => text.as_str().into(),
        Value::List(items) => items.iter().map(into_js).collect::<Array>().into(),
        Value::Record(members) => {
            let object = Object::new();
            for (name, value) in members {
                set(&object, name, value);
            }
            object.into()
        }
        Value::Undefined | Value::Function | Value::Other => JsValue::UNDEFINED,
    }
}

/// The faults as an array of objects.
pub fn faults_array(faults: ConfigFaults) -> JsValue {
    #[derive(Serialize)]
    struct FaultObject {
        option: String,
        code: &'static str,
        allowed: String,
    }
    let object = |Fault { option, code, allowed }| FaultObject { option, code, allowed };
    super::to_object(&faults.0.into_iter().map(object).collect::<Vec<_>>())
}
