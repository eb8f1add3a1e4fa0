//! Whole numbers as text, without the formatting machinery of the standard library, which
//! would be a kilobyte of the module.

/// Appends the number in decimal digits.
pub fn push_decimal(text: &mut String, mut value: u64) {
    let mut digits = [b'0'; 20];
    let mut used = 0;
    for digit in digits.iter_mut().rev() {
        *digit += (value % 10) as u8;
        used += 1;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    text.push_str(digits.get(20 - used..).and_then(|digits| std::str::from_utf8(digits).ok()).unwrap_or(""));
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
