//! Versions, and requirements on them.

mod requirement;
mod version;

pub use requirement::Requirement;
pub use version::Version;

/// The newest version that a requirement allows.
pub fn newest<'a>(requirement: &Requirement, versions: &'a [Version]) -> Option<&'a Version> {
    versions.iter().filter(|v| requirement.allows(v)).max()
}
