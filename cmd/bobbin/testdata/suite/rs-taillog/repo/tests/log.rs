use taillog::TailLog;

#[test]
fn lines_are_read_once_and_in_order() {
    let log = TailLog::new(10);
    let mut reader = log.reader();
    log.write("a\nb\nc");
    assert_eq!(reader.read(2).lines, ["a", "b"]);
    assert_eq!(reader.waiting(), 1);
    log.write("d");
    assert_eq!(reader.read(10).lines, ["c", "d"]);
    assert_eq!(reader.read(10).lines.len(), 0);
}

#[test]
fn who_follows_begins_with_the_next() {
    let log = TailLog::new(10);
    log.write("a");
    let mut reader = log.follow();
    log.write("b");
    assert_eq!(reader.read(10).lines, ["b"]);
    assert_eq!(log.written(), 2);
}

#[test]
fn a_word() {
    let log = TailLog::new(10);
    log.write("error: one\nfine\nerror: two");
    let mut reader = log.reader().filter("error");
    assert_eq!(reader.read(10).lines, ["error: one", "error: two"]);
}
