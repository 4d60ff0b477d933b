use wrap::{boxed, width, wrap};

#[test]
fn umlauts_take_a_column() {
    assert_eq!(wrap("Aufwandsentschädigungsgesetz", 10), "Aufwandsen\ntschädigun\ngsgesetz");
    assert_eq!(wrap("é é é é é", 5), "é é é\né é");
    assert_eq!(wrap("Übergröße", 3), "Übe\nrgr\nöße");
}

#[test]
fn wide_letters_take_two() {
    assert_eq!(width::of("漢字"), 4);
    assert_eq!(wrap("漢字 漢字 漢", 9), "漢字 漢字\n漢");
    assert_eq!(wrap("漢字漢字", 5), "漢字\n漢字");
    assert_eq!(width::of("한글"), 4);
    assert_eq!(width::of("ひらカナ"), 8);
}

#[test]
fn accents_stay_with_their_letters() {
    assert_eq!(width::of("e\u{301}"), 1);
    assert_eq!(wrap("e\u{301}e\u{301}e\u{301}", 2), "e\u{301}e\u{301}\ne\u{301}");
    assert_eq!(wrap("cafe\u{301} noir", 4), "cafe\u{301}\nnoir");
}

#[test]
fn a_letter_that_is_wider_than_a_line_ends() {
    assert_eq!(wrap("漢字", 1), "漢\n字");
    assert_eq!(wrap("a漢b", 1), "a\n漢\nb");
}

#[test]
fn boxes_are_straight() {
    assert_eq!(boxed("漢字 é", 20), "+--------+\n| 漢字 é |\n+--------+");
    assert_eq!(boxed("é 漢字", 8), "+------+\n| é    |\n| 漢字 |\n+------+");
}
