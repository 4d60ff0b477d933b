use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// A version such as 1.2.3-rc.1+build5.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    pub major: u64,
    pub minor: u64,
    pub patch: u64,
    pub pre: Vec<String>,
    pub build: String,
}

impl Version {
    pub fn new(major: u64, minor: u64, patch: u64) -> Self {
        Version { major, minor, patch, pre: Vec::new(), build: String::new() }
    }

    pub fn numbers(&self) -> [u64; 3] {
        [self.major, self.minor, self.patch]
    }

    pub fn is_pre_release(&self) -> bool {
        !self.pre.is_empty()
    }
}

impl FromStr for Version {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (rest, build) = text.split_once('+').unwrap_or((text, ""));
        let (numbers, pre) = rest.split_once('-').unwrap_or((rest, ""));
        let parts = numbers.split('.').map(number).collect::<Option<Vec<_>>>();
        let Some([major, minor, patch]) = parts.as_deref() else {
            return Err(format!("{text:?} is no version"));
        };
        let pre: Vec<String> = if rest.contains('-') { pre.split('.').map(String::from).collect() } else { Vec::new() };
        if pre.iter().any(|p| p.is_empty() || !p.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')) {
            return Err(format!("{text:?}: {pre:?} is no pre-release"));
        }
        Ok(Version { pre, build: build.to_string(), ..Version::new(*major, *minor, *patch) })
    }
}

/// A number without zeros before it.
pub fn number(text: &str) -> Option<u64> {
    if text.len() > 1 && text.starts_with('0') || !text.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        self.numbers().cmp(&other.numbers()).then_with(|| match (self.is_pre_release(), other.is_pre_release()) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            _ => self.pre.cmp(&other.pre),
        })
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        if self.is_pre_release() {
            write!(f, "-{}", self.pre.join("."))?;
        }
        if !self.build.is_empty() {
            write!(f, "+{}", self.build)?;
        }
        Ok(())
    }
}
