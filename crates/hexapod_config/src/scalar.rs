//! What a plain word in a file means: the YAML 1.2 core schema, made stricter where robots get hurt.

use std::fmt;

/// One value that is neither a mapping nor a list.
#[derive(Debug, Clone, PartialEq)]
pub enum Scalar {
    /// Nothing after the colon, `~` or `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A finite number with a point or an exponent.
    Float(f64),
    /// Text, quoted or not.
    String(String),
}

/// Why a plain word is refused: (what is wrong, what would be right).
pub(crate) type Refusal = (String, String);

impl Scalar {
    /// The meaning of an unquoted word.
    ///
    /// # Errors
    /// `.nan` and `.inf`; numbers that do not fit 64 bits; whole numbers with leading zeros, which YAML 1.1 readers
    /// (ROS 2's among them) take for octal and YAML 1.2 readers do not.
    pub(crate) fn from_plain(word: &str) -> Result<Self, Refusal> {
        match word {
            "" | "~" | "null" | "Null" | "NULL" => return Ok(Self::Null),
            "true" | "True" | "TRUE" => return Ok(Self::Bool(true)),
            "false" | "False" | "FALSE" => return Ok(Self::Bool(false)),
            _ => {}
        }
        if is_non_finite(word) {
            return Err((format!("`{word}` is not a finite number"), "write a finite number".into()));
        }
        for (prefix, radix) in [("0x", 16), ("0o", 8)] {
            if let Some(digits) = word.strip_prefix(prefix)
                && !digits.is_empty()
                && digits.chars().all(|digit| digit.is_digit(radix))
            {
                return i64::from_str_radix(digits, radix).map(Self::Integer).map_err(|_| out_of_range(word));
            }
        }
        match number_shape(word) {
            None => Ok(Self::String(word.to_owned())),
            Some(Shape::Integer) if has_leading_zero(word) => Err(ambiguous_octal(word)),
            Some(Shape::Integer) => word.parse().map(Self::Integer).map_err(|_| out_of_range(word)),
            Some(Shape::Float) => match word.parse::<f64>() {
                Ok(value) if value.is_finite() => Ok(Self::Float(value)),
                _ => Err(out_of_range(word)),
            },
        }
    }

    /// A few words for an error message: `the text "fast"`, `the number 3`.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Null => "nothing".into(),
            Self::Bool(value) => format!("`{value}`"),
            Self::Integer(value) => format!("the number {value}"),
            Self::Float(value) => format!("the number {value:?}"),
            Self::String(text) => format!("the text {text:?}"),
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => value.fmt(f),
            Self::Integer(value) => value.fmt(f),
            Self::Float(value) => write!(f, "{value:?}"),
            Self::String(text) => f.write_str(text),
        }
    }
}

fn is_non_finite(word: &str) -> bool {
    let unsigned = word.strip_prefix(['-', '+']).unwrap_or(word);
    matches!(unsigned, ".inf" | ".Inf" | ".INF" | ".nan" | ".NaN" | ".NAN")
}

fn out_of_range(word: &str) -> Refusal {
    (format!("`{word}` does not fit a 64 bit number"), "write a smaller number, or quote it if text is meant".into())
}

fn ambiguous_octal(word: &str) -> Refusal {
    let plain = word.trim_start_matches(['+', '-']).trim_start_matches('0');
    let plain = if plain.is_empty() { "0" } else { plain };
    let sign = if word.starts_with('-') { "-" } else { "" };
    (
        format!("`{word}` starts with a zero: some YAML readers take it for octal"),
        format!("write {sign}{plain}, or quote it if text is meant"),
    )
}

fn has_leading_zero(word: &str) -> bool {
    let digits = word.trim_start_matches(['+', '-']);
    digits.len() > 1 && digits.starts_with('0')
}

enum Shape {
    Integer,
    Float,
}

/// `[-+]? ( [0-9]+ ( \. [0-9]* )? | \. [0-9]+ ) ( [eE] [-+]? [0-9]+ )?`, YAML 1.2.2 section 10.3.2.
fn number_shape(word: &str) -> Option<Shape> {
    let unsigned = word.strip_prefix(['-', '+']).unwrap_or(word);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    if let Some(exponent) = exponent
        && !all_digits(exponent.strip_prefix(['-', '+']).unwrap_or(exponent))
    {
        return None;
    }
    match mantissa.split_once('.') {
        None if all_digits(mantissa) => Some(if exponent.is_some() { Shape::Float } else { Shape::Integer }),
        Some((whole, "")) if all_digits(whole) => Some(Shape::Float),
        Some((whole, fraction)) if (whole.is_empty() || all_digits(whole)) && all_digits(fraction) => {
            Some(Shape::Float)
        }
        _ => None,
    }
}

fn all_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
