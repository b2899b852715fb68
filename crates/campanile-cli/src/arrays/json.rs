//! Arrays as JSON.

use serde_json::{Number, Value, json};

use super::Array;

/// An array with its name, its type and shape, and its elements in C order. What is no number of JSON, such as `nan`, is
/// a text.
pub fn array_json(name: &str, array: &Array) -> Value {
    let element = array.element();
    let values = array.bytes().chunks_exact(element.size()).map(|bytes| {
        let text = element.format(bytes);
        text.parse::<Number>().map_or_else(|_| Value::String(text), Value::Number)
    });
    json!({
        "type": "array", "name": name, "element": element.name(), "shape": array.shape(),
        "elements": values.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::Element;
    use super::*;

    #[test]
    fn elements_are_numbers_or_texts() {
        let array = |element: Element, literals: &[&str]| {
            let bytes: Vec<u8> = literals.iter().flat_map(|one| element.parse(one).unwrap()).collect();
            array_json("a", &Array::new(element, vec![literals.len()], bytes).unwrap())
        };
        let floats = array(Element::F32, &["0.1", "-2", "1e30", "inf", "nan"]).to_string();
        let elements = r#"[0.1,-2.0,1e+30,"inf","nan"]"#;
        assert_eq!(
            floats,
            format!(r#"{{"element":"f32","elements":{elements},"name":"a","shape":[5],"type":"array"}}"#)
        );
        let integers = array(Element::U64, &["18446744073709551615"]);
        assert_eq!(integers["elements"], json!([u64::MAX]));
    }
}
