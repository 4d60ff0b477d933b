use versions::{newest, Requirement, Version};

fn version(text: &str) -> Version {
    text.parse().unwrap()
}

fn allowed(requirement: &str, versions: &str) -> String {
    let requirement: Requirement = requirement.parse().unwrap();
    versions.split(' ').filter(|v| requirement.allows(&version(v))).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_order_of_semver() {
    let order = "1.0.0-1 1.0.0-9 1.0.0-10 1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 1.0.1-a 1.0.1 1.2.0";
    let sorted: Vec<Version> = order.split(' ').map(version).collect();
    for (i, a) in sorted.iter().enumerate() {
        for (j, b) in sorted.iter().enumerate() {
            assert_eq!(a.cmp(b), i.cmp(&j), "{a} and {b}");
        }
    }
    assert!(version("1.0.0-99999999999999999999999") > version("1.0.0-9"), "numbers of any length");
}

#[test]
fn the_newest_candidate() {
    let versions: Vec<Version> = ["2.0.0-rc.9", "2.0.0-rc.10"].map(version).to_vec();
    assert_eq!(newest(&"^2.0.0-rc.1".parse().unwrap(), &versions), Some(&version("2.0.0-rc.10")));
}

#[test]
fn carets_end_at_the_leftmost_part_that_is_not_zero() {
    assert_eq!(allowed("^0.3.1", "0.3.0 0.3.1 0.3.9 0.4.0 1.0.0"), "0.3.1 0.3.9");
    assert_eq!(allowed("^0.0.3", "0.0.2 0.0.3 0.0.4 0.1.0"), "0.0.3");
    assert_eq!(allowed("^1.2.3", "1.2.2 1.2.3 1.9.0 2.0.0"), "1.2.3 1.9.0");
    assert_eq!(allowed("^0.0.0", "0.0.0 0.0.1"), "0.0.0");
}

#[test]
fn pre_releases_only_where_one_is_named() {
    assert_eq!(allowed("^1.2", "1.2.0-rc.1 1.3.0-a 1.3.0 2.0.0-beta"), "1.3.0");
    assert_eq!(allowed(">=1.2.3", "1.2.3 1.2.4-a 2.0.0-a 2.0.0"), "1.2.3 2.0.0");
    assert_eq!(allowed("^1.2.3-rc.2", "1.2.3-rc.1 1.2.3-rc.2 1.2.3-rc.10 1.2.3 1.2.4-a 1.3.0 2.0.0-a"), "1.2.3-rc.2 1.2.3-rc.10 1.2.3 1.3.0");
    assert_eq!(allowed(">=1.2.3-a", "1.2.3-b 1.3.0-b 1.3.0"), "1.2.3-b 1.3.0");
    assert_eq!(allowed("=1.2.3-a", "1.2.3-a 1.2.3-b 1.2.3"), "1.2.3-a");
}

#[test]
fn builds_are_not_compared() {
    assert_eq!(allowed("=1.2.3", "1.2.3+b1 1.2.3+b2 1.2.4"), "1.2.3+b1 1.2.3+b2");
}
