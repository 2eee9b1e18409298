//! Deserializes points and values by hand: an untagged enum couldn't say which field is wrong.

use super::Axis;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{Error, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Number;
use std::fmt;

/// A point of a series.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Point {
    /// A number for the value of `x` with the same index. Null is a gap.
    Value(Option<Number>),
    /// `x` and a number. Null is a gap.
    Pair(Coordinate, Option<Number>),
}

/// A value of `x`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Coordinate {
    /// A number on the axis.
    Number(Number),
    /// A time (`2026-11-25`, `2026-11-25T22:31:00Z`) if all values of the chart are times. Otherwise a category.
    Text(String),
}

impl Point {
    /// Returns the number. `None` for a gap.
    pub fn number(&self) -> Option<&Number> {
        match self {
            Self::Value(number) | Self::Pair(_, number) => number.as_ref(),
        }
    }

    /// Returns the `x` of a pair.
    pub fn x(&self) -> Option<&Coordinate> {
        match self {
            Self::Pair(x, _) => Some(x),
            Self::Value(_) => None,
        }
    }
}

impl fmt::Display for Coordinate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for Coordinate {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Read;
        impl Visitor<'_> for Read {
            type Value = Coordinate;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or a number")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Coordinate, E> {
                Ok(Coordinate::Text(text.to_owned()))
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<Coordinate, E> {
                Ok(Coordinate::Number(number.into()))
            }
            fn visit_u64<E: Error>(self, number: u64) -> Result<Coordinate, E> {
                Ok(Coordinate::Number(number.into()))
            }
            fn visit_f64<E: Error>(self, number: f64) -> Result<Coordinate, E> {
                finite(number, &self).map(Coordinate::Number)
            }
        }
        from.deserialize_any(Read)
    }
}

impl<'de> Deserialize<'de> for Point {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Point;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, null, or a pair `[x, y]`")
            }
            fn visit_unit<E: Error>(self) -> Result<Point, E> {
                Ok(Point::Value(None))
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<Point, E> {
                Ok(Point::Value(Some(number.into())))
            }
            fn visit_u64<E: Error>(self, number: u64) -> Result<Point, E> {
                Ok(Point::Value(Some(number.into())))
            }
            fn visit_f64<E: Error>(self, number: f64) -> Result<Point, E> {
                finite(number, &self).map(|number| Point::Value(Some(number)))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Point, A::Error> {
                let pair = (items.next_element()?, items.next_element()?);
                let (Some(x), Some(y)) = pair else { return Err(A::Error::invalid_length(1, &self)) };
                match items.next_element::<serde::de::IgnoredAny>()? {
                    None => Ok(Point::Pair(x, y)),
                    Some(_) => Err(A::Error::invalid_length(3, &self)),
                }
            }
        }
        from.deserialize_any(Read)
    }
}

impl<'de> Deserialize<'de> for Axis {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Axis;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string, or an array of strings and numbers")
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<Axis, E> {
                Ok(Axis::Name(name.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, values: A) -> Result<Axis, A::Error> {
                Deserialize::deserialize(SeqAccessDeserializer::new(values)).map(Axis::Values)
            }
        }
        from.deserialize_any(Read)
    }
}

/// JSON has finite numbers only.
fn finite<E: Error>(number: f64, expected: &dyn serde::de::Expected) -> Result<Number, E> {
    Number::from_f64(number).ok_or_else(|| E::invalid_value(Unexpected::Float(number), expected))
}
