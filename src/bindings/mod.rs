//! The engine for JavaScript: this and its siblings exist on wasm32 only.
//!
//! Options come in through typed getters, attempts come in as one [`host::Facts`] object,
//! records go out as JSON text, verdicts and faults through serde. Nothing here decides.

mod drive;
mod host;
mod json;
mod options;
mod policy;
mod sleep;
mod text;

use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::JsValue;

// Four kilobytes less than the standard library's, at the same speed. What is freed is merged and used again.
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();

/// A plain object with the fields of `value`; absent fields are absent.
fn to_object(value: &impl Serialize) -> JsValue {
    // A struct of numbers and texts always serializes.
    value.serialize(&Serializer::new().serialize_maps_as_objects(true)).unwrap_or(JsValue::UNDEFINED)
}

/// A plain object with the fields of `value`; absent fields are null.
fn to_object_with_nulls(value: &impl Serialize) -> JsValue {
    value.serialize(&Serializer::json_compatible()).unwrap_or(JsValue::UNDEFINED)
}
