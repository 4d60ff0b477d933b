use std::fmt;
use std::str::FromStr;

use crate::Version;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Exact,
    AtLeast,
    Caret,
}

/// What a version has to be.
#[derive(Clone, Debug)]
pub struct Requirement {
    kind: Kind,
    version: Version,
}

impl Requirement {
    /// Whether a version is as required.
    pub fn allows(&self, version: &Version) -> bool {
        match self.kind {
            Kind::Exact => *version == self.version,
            Kind::AtLeast => *version >= self.version,
            Kind::Caret => *version >= self.version && *version < self.end(),
        }
    }

    /// The first version that is too new for a caret.
    fn end(&self) -> Version {
        Version::new(self.version.major + 1, 0, 0)
    }
}

impl FromStr for Requirement {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (kind, rest) = if let Some(rest) = text.strip_prefix(">=") {
            (Kind::AtLeast, rest)
        } else if let Some(rest) = text.strip_prefix('^') {
            (Kind::Caret, rest)
        } else {
            (Kind::Exact, text.strip_prefix('=').unwrap_or(text))
        };
        Ok(Requirement { kind, version: complete(rest.trim()).parse()? })
    }
}

/// A version whose last parts may be left out.
fn complete(text: &str) -> String {
    match text.matches('.').count() {
        _ if text.contains(['-', '+']) => text.to_string(),
        0 => format!("{text}.0.0"),
        1 => format!("{text}.0"),
        _ => text.to_string(),
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let sign = match self.kind {
            Kind::Exact => "=",
            Kind::AtLeast => ">=",
            Kind::Caret => "^",
        };
        write!(f, "{sign}{}", self.version)
    }
}
