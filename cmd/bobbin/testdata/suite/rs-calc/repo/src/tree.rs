/// What is to be calculated.
#[derive(Debug)]
pub enum Tree {
    Number(f64),
    Negative(Box<Tree>),
    Binary(char, Box<Tree>, Box<Tree>),
}

impl Tree {
    pub fn value(&self) -> Result<f64, String> {
        match self {
            Tree::Number(n) => Ok(*n),
            Tree::Negative(t) => Ok(-t.value()?),
            Tree::Binary(sign, a, b) => {
                let (a, b) = (a.value()?, b.value()?);
                match sign {
                    '+' => Ok(a + b),
                    '-' => Ok(a - b),
                    '*' => Ok(a * b),
                    '/' if b == 0.0 => Err("division by zero".to_string()),
                    '/' => Ok(a / b),
                    _ => Ok(a.powf(b)),
                }
            }
        }
    }
}
