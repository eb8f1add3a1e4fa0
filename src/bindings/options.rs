//! Options from a JavaScript object, member by member, and back.

use crate::policy::explain::{Explanation, WaitBounds};
use crate::policy::{ConfigFaults, Policy, Value};
use js_sys::{Array, Function, JsString, Object, Reflect};
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

/// An object of these members.
pub fn object(members: &[(&'static str, Value)]) -> JsValue {
    let object = Object::new();
    for (name, value) in members {
        set(&object, name, value);
    }
    object.into()
}

#[inline(never)]
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
        Value::Undefined | Value::Function => JsValue::UNDEFINED,
        Value::Other => JsValue::NULL,
    }
}

/// The faults as an array of `[option, code, allowed]`.
pub fn faults_array(faults: ConfigFaults) -> JsValue {
    let rows: Vec<_> = faults.0.iter().map(|fault| (&*fault.option, fault.code, &*fault.allowed)).collect();
    // Lists of texts always serialize.
    serde_wasm_bindgen::to_value(&rows).unwrap_or(JsValue::UNDEFINED)
}

/// What a policy will do, as an object.
pub fn explained(explanation: &Explanation) -> JsValue {
    let number = |name: &str, value| (name.to_owned(), Value::Number(value));
    let wait = |wait: &WaitBounds| {
        Value::Record(vec![number("n", wait.n.into()), number("minMs", wait.min_ms), number("maxMs", wait.max_ms)])
    };
    object(&[
        ("schedule", Value::List(explanation.schedule.iter().map(wait).collect())),
        ("worstCaseMs", explanation.worst_case_ms.map_or(Value::Other, Value::Number)),
        ("worstBackoffMs", Value::Number(explanation.worst_backoff_ms)),
        ("maxAttempts", Value::Number(explanation.max_attempts.into())),
    ])
}
