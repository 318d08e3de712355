//! Values between scripts and JSON.
//!
//! Owns: the driver's conversion rules (`reference/iedriver-wire.md` section 5.10). Does not own:
//! element references, which a [`References`] of the session resolves.

use rquickjs::{Array, Ctx, Exception, Object, Result, Type, Value, object::Filter};
use serde_json::{Map, Number, Value as Json};

/// Key of an element reference on the wire.
pub const ELEMENT_KEY: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Deeper values are refused: the driver's own recursion would not survive them.
const DEEPEST: usize = 100;

/// Longest list that is converted; `{length: 4e9}` must not loop.
const LONGEST: f64 = 1_000_000.0;

/// What the conversion must know of elements and windows.
pub trait References<'js> {
    /// The id of an element if `object` is one.
    fn id_of(&self, object: &Object<'js>) -> Option<String>;
    /// True for window objects, which the driver cannot return.
    fn is_window(&self, object: &Object<'js>) -> bool;
    /// The page's own object for an id.
    ///
    /// # Errors
    /// Throws if the id is unknown or stale.
    fn element(&self, ctx: &Ctx<'js>, id: &str) -> Result<Value<'js>>;
}

/// Converts a script's result as the driver does.
///
/// # Errors
/// Throws for windows, cycles and values nested deeper than the driver can take, and passes on what
/// getters of the page throw.
pub fn to_json<'js>(ctx: &Ctx<'js>, refs: &dyn References<'js>, value: &Value<'js>) -> Result<Json> {
    out(ctx, refs, value, &mut Vec::new())
}

fn out<'js>(
    ctx: &Ctx<'js>,
    refs: &dyn References<'js>,
    value: &Value<'js>,
    path: &mut Vec<Object<'js>>,
) -> Result<Json> {
    Ok(match value.type_of() {
        Type::Bool => Json::Bool(value.as_bool().unwrap_or_default()),
        Type::Int => Json::from(value.as_int().unwrap_or_default()),
        Type::Float => number(value.as_float().unwrap_or(f64::NAN)),
        Type::String => Json::String(text_of(ctx, value)),
        Type::Function | Type::Constructor | Type::Symbol | Type::Undefined | Type::Null => Json::Null,
        _ => match value.as_object() {
            Some(object) => return object_out(ctx, refs, object, path),
            None => Json::Null,
        },
    })
}

fn number(n: f64) -> Json {
    if n.is_finite() && n.fract() == 0.0 && n.abs() < 9_007_199_254_740_992.0 {
        return Json::from(n as i64);
    }
    Number::from_f64(n).map_or(Json::Null, Json::Number)
}

fn object_out<'js>(
    ctx: &Ctx<'js>,
    refs: &dyn References<'js>,
    object: &Object<'js>,
    path: &mut Vec<Object<'js>>,
) -> Result<Json> {
    if refs.is_window(object) {
        return Err(Exception::throw_message(ctx, "Error executing JavaScript"));
    }
    if let Some(id) = refs.id_of(object) {
        return Ok(serde_json::json!({ ELEMENT_KEY: id }));
    }
    if path.len() >= DEEPEST || path.contains(object) {
        return Err(Exception::throw_message(ctx, "Error executing JavaScript"));
    }
    path.push(object.clone());
    let length: Value = object.get("length")?;
    let json = if let Some(length) = length.as_number() {
        if length > LONGEST {
            return Err(Exception::throw_message(ctx, "Error executing JavaScript"));
        }
        let mut list = Vec::new();
        for n in 0..length.max(0.0) as u32 {
            list.push(out(ctx, refs, &object.get::<_, Value>(n)?, path)?);
        }
        Json::Array(list)
    } else if let Some(iso) = date_text(object)? {
        Json::String(iso)
    } else {
        let mut members = Map::new();
        let keys: Vec<String> = object.own_keys::<String>(Filter::default()).collect::<Result<_>>()?;
        for key in keys {
            let member: Value = object.get(key.as_str())?;
            members.insert(key, out(ctx, refs, &member, path)?);
        }
        Json::Object(members)
    };
    path.pop();
    Ok(json)
}

/// `toJSON` of dates and of objects that have their own.
fn date_text(object: &Object<'_>) -> Result<Option<String>> {
    let to_json: Value = object.get("toJSON")?;
    let Some(function) = to_json.as_function() else { return Ok(None) };
    let text: Value = function.call((rquickjs::function::This(object.clone()),))?;
    text.as_string().map(|text| text.to_string()).transpose()
}

/// The string conversion; lone surrogates become U+FFFD, which the engine's own conversion refuses.
pub fn text_of<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> String {
    let text = match value.as_string() {
        Some(text) => text.clone(),
        None => match value.get::<rquickjs::Coerced<rquickjs::String>>() {
            Ok(text) => text.0,
            Err(_) => {
                ctx.catch();
                return String::new();
            }
        },
    };
    if let Ok(text) = text.to_string() {
        return text;
    }
    ctx.catch();
    well_formed(ctx, text).unwrap_or_else(|_| {
        ctx.catch();
        String::new()
    })
}

/// Repairs through JSON, whose writer escapes lone surrogates; pages cannot replace it.
fn well_formed<'js>(ctx: &Ctx<'js>, text: rquickjs::String<'js>) -> Result<String> {
    let quoted = ctx.json_stringify(text)?.map(|quoted| quoted.to_string()).transpose()?.unwrap_or_default();
    let mut plain = String::new();
    let mut rest = quoted.as_str();
    // Replace `\udXXX` escapes (only lone surrogates are escaped so) and leave the rest to serde.
    while let Some(at) = rest.find("\\ud") {
        let escaped = rest[..at].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1;
        let end = if escaped { at + 1 } else { at + 6 };
        plain.push_str(&rest[..at]);
        plain.push_str(if escaped { "\\" } else { "\u{fffd}" });
        rest = &rest[end.min(rest.len())..];
    }
    plain.push_str(rest);
    Ok(serde_json::from_str(&plain).unwrap_or_default())
}

/// Converts an argument for a script: element references become elements at any depth.
///
/// # Errors
/// Throws for unknown or stale references.
pub fn from_json<'js>(ctx: &Ctx<'js>, refs: &dyn References<'js>, json: &Json) -> Result<Value<'js>> {
    Ok(match json {
        Json::Null => Value::new_null(ctx.clone()),
        Json::Bool(b) => Value::new_bool(ctx.clone(), *b),
        Json::Number(n) => match n.as_i64().and_then(|n| i32::try_from(n).ok()) {
            Some(n) => Value::new_int(ctx.clone(), n),
            None => Value::new_float(ctx.clone(), n.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(text) => rquickjs::String::from_str(ctx.clone(), text)?.into_value(),
        Json::Array(items) => {
            let array = Array::new(ctx.clone())?;
            for (n, item) in items.iter().enumerate() {
                array.set(n, from_json(ctx, refs, item)?)?;
            }
            array.into_value()
        }
        Json::Object(members) => {
            if let Some(Json::String(id)) = members.get(ELEMENT_KEY) {
                return refs.element(ctx, id);
            }
            let object = Object::new(ctx.clone())?;
            for (name, member) in members {
                object.set(name.as_str(), from_json(ctx, refs, member)?)?;
            }
            object.into_value()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::budget::Budget;
    use crate::script::engine;
    use serde_json::json;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    struct None;
    impl<'js> References<'js> for None {
        fn id_of(&self, _: &Object<'js>) -> Option<String> {
            Option::None
        }
        fn is_window(&self, object: &Object<'js>) -> bool {
            object.get("isWindow").unwrap_or(false)
        }
        fn element(&self, ctx: &Ctx<'js>, _: &str) -> Result<Value<'js>> {
            Err(Exception::throw_message(ctx, "unknown"))
        }
    }

    fn convert(source: &str) -> std::result::Result<Json, String> {
        let budget = Budget::new(Arc::new(AtomicBool::new(false)));
        engine::run(&budget, |ctx| {
            let result =
                engine::eval::<Value>(&ctx, source, "t").and_then(|value| to_json(&ctx, &None, &value));
            crate::script::errors::caught(&ctx, &budget, result).map_err(|failure| format!("{failure:?}"))
        })
        .unwrap()
    }

    #[test]
    fn results_become_json_as_the_driver_does_it() {
        for (source, expected) in [
            ("undefined", json!(null)),
            ("1.0", json!(1)),
            ("-0.5", json!(-0.5)),
            ("0/0", json!(null)),
            ("1e15", json!(1_000_000_000_000_000_i64)),
            ("(function () {})", json!(null)),
            ("[1, [true, 'x']]", json!([1, [true, "x"]])),
            ("({length: 2})", json!([null, null])),
            ("({length: -1})", json!([])),
            ("({b: 1, a: {c: null}, f: function () {}})", json!({"b": 1, "a": {"c": null}, "f": null})),
            ("new Date(0)", json!("1970-01-01T00:00:00.000Z")),
            ("'\\ud800x'", json!("\u{fffd}x")),
            ("'\\\\ud800 \\udc00'", json!("\\ud800 \u{fffd}")),
            ("'検索\\ud83d\\ude00'", json!("検索😀")),
        ] {
            assert_eq!(convert(source), Ok(expected), "{source}");
        }
    }

    #[test]
    fn what_cannot_be_returned_is_an_error() {
        for source in
            ["var a = {}; a.a = a; a", "({isWindow: true})", "({length: 4e9})", "({get x() { throw 'no' }})"]
        {
            assert!(convert(source).is_err(), "{source}");
        }
        assert!(convert("var d = []; for (var i = 0; i < 200; i++) d = [d]; d").is_err());
    }

    #[test]
    fn arguments_arrive_with_their_types() {
        let budget = Budget::new(Arc::new(AtomicBool::new(false)));
        engine::run(&budget, |ctx| {
            let json = json!({"n": 3_000_000_000_i64, "list": [1, "二", null], "f": 1.5, "b": false});
            let value = from_json(&ctx, &None, &json).unwrap();
            assert_eq!(to_json(&ctx, &None, &value).unwrap(), json);
            assert!(from_json(&ctx, &None, &json!([{ELEMENT_KEY: "gone"}])).is_err());
        })
        .unwrap();
    }
}
