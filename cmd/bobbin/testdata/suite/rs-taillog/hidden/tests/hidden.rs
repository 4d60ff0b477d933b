use taillog::TailLog;

fn write(log: &TailLog, from: u64, to: u64) {
    for n in from..to {
        log.write(&n.to_string());
    }
}

fn numbers(from: u64, to: u64) -> Vec<String> {
    (from..to).map(|n| n.to_string()).collect()
}

#[test]
fn a_new_reader_gets_what_is_kept() {
    for room in 1..6 {
        for written in 0..20 {
            let log = TailLog::new(room as usize);
            write(&log, 0, written);
            let batch = log.reader().read(100);
            assert_eq!(batch.lines, numbers(written.saturating_sub(room), written), "{written} lines, room for {room}");
            assert_eq!(batch.missed, 0, "it begins with the oldest");
        }
    }
}

#[test]
fn a_slow_reader_is_told_what_it_missed() {
    let log = TailLog::new(4);
    let mut reader = log.reader();
    write(&log, 0, 2);
    assert_eq!(reader.read(1).lines, ["0"]);
    write(&log, 2, 9);
    let batch = reader.read(2);
    assert_eq!((batch.lines, batch.missed), (numbers(5, 7), 4));
    let batch = reader.read(100);
    assert_eq!((batch.lines, batch.missed), (numbers(7, 9), 0));
    write(&log, 9, 13);
    let batch = reader.read(100);
    assert_eq!((batch.lines, batch.missed), (numbers(9, 13), 0), "exactly as many as there is room for");
}

#[test]
fn whatever_the_pace_each_line_is_read_or_missed() {
    for room in 1..7 {
        for pace in 1..9 {
            for most in 1..5 {
                let log = TailLog::new(room);
                let mut reader = log.reader();
                let mut next = 0;
                for round in 0..12 {
                    write(&log, round * pace, (round + 1) * pace);
                    let waiting = reader.waiting();
                    let batch = reader.read(most);
                    next += batch.missed;
                    assert_eq!(batch.lines, numbers(next, next + batch.lines.len() as u64));
                    assert_eq!(batch.lines.len() as u64, waiting.min(most as u64));
                    next += batch.lines.len() as u64;
                }
                let rest = reader.read(100);
                assert_eq!(next + rest.missed + rest.lines.len() as u64, 12 * pace);
            }
        }
    }
}

#[test]
fn lines_that_are_skipped_are_read() {
    let log = TailLog::new(10);
    log.write("a\nerror 1\nb\nerror 2");
    let mut reader = log.reader().filter("error");
    assert_eq!(reader.read(1).lines, ["error 1"]);
    assert_eq!(reader.read(1).lines, ["error 2"]);
    assert_eq!(reader.waiting(), 0);
    log.write("c\nd\nerror 3");
    assert_eq!(reader.read(10).lines, ["error 3"]);
    assert_eq!(reader.read(10).lines.len(), 0);
}
