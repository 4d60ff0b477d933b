//! Calculates.

mod lex;
mod parse;
mod tree;

/// The value of a line.
pub fn eval(line: &str) -> Result<f64, String> {
    parse::parse(&lex::lex(line)?)?.value()
}

#[cfg(test)]
mod tests {
    use super::eval;

    #[test]
    fn values() {
        for (line, want) in [("1 + 2 * 3", 7.0), ("(1 + 2) * 3", 9.0), ("-2 ^ 2", -4.0), ("2 ^ 3 ^ 2", 512.0), ("2 ^ -1", 0.5), ("10 - 4 - 3", 3.0), ("1.5/3", 0.5), ("--1", 1.0)] {
            assert_eq!(eval(line), Ok(want), "{line}");
        }
    }

    #[test]
    fn mistakes() {
        for (line, want) in [("1 +", "something is missing at the end"), ("1 2", "nobody expects 2"), ("(1", "a bracket is not closed"), ("1 / 0", "division by zero"), ("1.2.3", "1.2.3 is no number"), ("$", "nobody expects $"), (")", "nobody expects )")] {
            assert_eq!(eval(line), Err(want.to_string()), "{line}");
        }
    }
}
