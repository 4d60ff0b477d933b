use versions::{newest, Requirement, Version};

fn pick(requirement: &str, versions: &str) -> String {
    let requirement: Requirement = requirement.parse().unwrap();
    let versions: Vec<Version> = versions.split(' ').map(|v| v.parse().unwrap()).collect();
    newest(&requirement, &versions).map(|v| v.to_string()).unwrap_or_default()
}

#[test]
fn the_newest_is_picked() {
    assert_eq!(pick("^1.2", "1.1.9 1.2.0 1.10.0 1.9.3 2.0.0"), "1.10.0");
    assert_eq!(pick(">=1", "0.9.0 3.0.0 2.5.1"), "3.0.0");
    assert_eq!(pick("1.2.3", "1.2.2 1.2.3 1.2.4"), "1.2.3");
    assert_eq!(pick("^2", "1.0.0"), "");
}

#[test]
fn releases_are_newer_than_their_pre_releases() {
    assert_eq!(pick(">=1.0.0-a", "1.0.0-rc.1 1.0.0 1.0.0-rc.2"), "1.0.0");
}

#[test]
fn what_is_no_version() {
    for text in ["1", "1.2", "1.2.3.4", "01.2.3", "1.2.x", "1.2.3-", "1.2.3-a..b", "-1.2.3", ""] {
        assert!(text.parse::<Version>().is_err(), "{text}");
    }
    assert_eq!("1.2.3-rc.1+b5".parse::<Version>().unwrap().to_string(), "1.2.3-rc.1+b5");
}
