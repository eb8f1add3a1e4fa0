//! Whole numbers as text, without the formatting machinery of the standard library, which
//! would be a kilobyte of the module.

/// Appends the number in decimal digits.
pub fn push_decimal(text: &mut String, value: u64) {
    if value >= 10 {
        push_decimal(text, value / 10);
    }
    text.push(char::from(b'0' + (value % 10) as u8));
}

/// The number in decimal digits.
pub fn decimal(value: u64) -> String {
    let mut text = String::new();
    push_decimal(&mut text, value);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_reads_as_the_standard_library_writes_it() {
        for value in [0, 7, 10, 99, 100, 1_234_567_890, u64::MAX] {
            assert_eq!(decimal(value), value.to_string());
        }
    }
}
