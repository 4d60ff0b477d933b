use crate::lex::Token;
use crate::tree::Tree;

/// Makes a tree of the parts of a line.
pub fn parse(tokens: &[Token]) -> Result<Tree, String> {
    let mut parser = Parser { tokens, next: 0 };
    let tree = parser.sum()?;
    match parser.peek() {
        Some(token) => Err(format!("nobody expects {token}")),
        None => Ok(tree),
    }
}

struct Parser<'a> {
    tokens: &'a [Token],
    next: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next)
    }

    /// Takes the next part where it is one of the signs.
    fn take(&mut self, signs: &str) -> Option<char> {
        match self.peek() {
            Some(&Token::Sign(c)) if signs.contains(c) => {
                self.next += 1;
                Some(c)
            }
            _ => None,
        }
    }

    fn sum(&mut self) -> Result<Tree, String> {
        let mut tree = self.product()?;
        while let Some(sign) = self.take("+-") {
            tree = Tree::Binary(sign, Box::new(tree), Box::new(self.product()?));
        }
        Ok(tree)
    }

    fn product(&mut self) -> Result<Tree, String> {
        let mut tree = self.signed()?;
        while let Some(sign) = self.take("*/") {
            tree = Tree::Binary(sign, Box::new(tree), Box::new(self.signed()?));
        }
        Ok(tree)
    }

    fn signed(&mut self) -> Result<Tree, String> {
        if self.take("-").is_some() {
            return Ok(Tree::Negative(Box::new(self.signed()?)));
        }
        self.power()
    }

    fn power(&mut self) -> Result<Tree, String> {
        let base = self.single()?;
        if self.take("^").is_some() {
            return Ok(Tree::Binary('^', Box::new(base), Box::new(self.signed()?)));
        }
        Ok(base)
    }

    fn single(&mut self) -> Result<Tree, String> {
        if self.take("(").is_some() {
            let tree = self.sum()?;
            self.take(")").ok_or("a bracket is not closed")?;
            return Ok(tree);
        }
        match self.peek().cloned() {
            Some(Token::Number(n)) => {
                self.next += 1;
                Ok(Tree::Number(n))
            }
            Some(token) => Err(format!("nobody expects {token}")),
            None => Err("something is missing at the end".to_string()),
        }
    }
}
