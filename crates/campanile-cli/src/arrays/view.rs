//! Arrays seen as something else: `NAME:TYPE` or `NAME:TYPE[SHAPE]`.

use super::array::filled;
use super::value::element_and_shape;
use super::{Array, Element, ShapeError};

/// A named array, and perhaps the type and shape to see it in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Its name.
    pub name: String,
    layout: Option<(Element, Option<Vec<usize>>)>,
}

impl View {
    /// Reads a view. What follows the last colon belongs to the name unless it is a type.
    pub fn new(text: &str) -> Self {
        if let Some((name, layout)) = text.rsplit_once(':')
            && let Ok((element, shape, "")) = element_and_shape(layout)
        {
            return Self { name: name.to_owned(), layout: Some((element, shape)) };
        }
        Self { name: text.to_owned(), layout: None }
    }

    /// Whether so many bytes can be seen so.
    pub fn fits(&self, bytes: usize) -> Result<(), ShapeError> {
        self.form(bytes).map_or(Ok(()), |(element, shape)| filled(element, &shape, bytes))
    }

    /// The array as it is to be seen.
    pub fn of(&self, array: Array) -> Result<Array, ShapeError> {
        match self.form(array.bytes().len()) {
            Some((element, shape)) => Array::new(element, shape, array.bytes().to_vec()),
            None => Ok(array),
        }
    }

    /// The type and shape of so many bytes, if any are asked for.
    fn form(&self, bytes: usize) -> Option<(Element, Vec<usize>)> {
        let (element, shape) = self.layout.as_ref()?;
        Some((*element, shape.clone().unwrap_or_else(|| vec![bytes / element.size()])))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Fill;
    use super::*;

    #[test]
    fn a_type_and_a_shape_may_follow_the_name() {
        let bytes = Fill::Iota.make(Element::U8, &[8]).unwrap();
        let seen = |text: &str| View::new(text).of(bytes.clone());
        assert_eq!(seen("a").unwrap(), bytes);
        assert_eq!(
            seen("a:u32").unwrap(),
            Array::new(Element::U32, vec![2], bytes.bytes().to_vec()).unwrap()
        );
        assert_eq!(seen("a:u16[2x2]").unwrap().shape(), [2, 2]);
        assert!(matches!(seen("a:u16[3]"), Err(ShapeError::WrongSize { .. })));
        for (view, fits) in [("a", true), ("a:u16", true), ("a:u16[2x2]", true), ("a:u16[3]", false)] {
            assert_eq!(View::new(view).fits(8).is_ok(), fits, "{view}");
        }
        assert!(View::new("a:u32").fits(6).is_err());
        assert_eq!(View::new("a:b"), View { name: "a:b".to_owned(), layout: None });
        assert_eq!(View::new("a:b:f64").name, "a:b");
    }
}
