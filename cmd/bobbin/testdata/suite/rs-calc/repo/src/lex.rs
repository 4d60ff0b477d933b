/// A part of a line.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    Number(f64),
    Sign(char),
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Token::Number(n) => write!(f, "{n}"),
            Token::Sign(c) => write!(f, "{c}"),
        }
    }
}

/// Takes a line apart.
pub fn lex(line: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = line.trim_start();
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '0'..='9' | '.' => {
                let length = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
                let text = &rest[..length];
                tokens.push(Token::Number(text.parse().map_err(|_| format!("{text} is no number"))?));
                length
            }
            '+' | '-' | '*' | '/' | '^' | '(' | ')' => {
                tokens.push(Token::Sign(c));
                1
            }
            _ => return Err(format!("nobody expects {c}")),
        };
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}
