use calc::{eval, Calculator};
use std::io::Write;
use std::process::{Command, Stdio};

fn run(lines: &[&str]) -> Vec<Result<f64, String>> {
    let mut calculator = Calculator::new();
    lines.iter().map(|line| calculator.run(line)).collect()
}

fn last(lines: &[&str]) -> Result<f64, String> {
    run(lines).pop().unwrap()
}

#[test]
fn names() {
    assert_eq!(run(&["let x = 2 * 3", "x + 1", "let x = x * x", "x"]), [Ok(6.0), Ok(7.0), Ok(36.0), Ok(36.0)]);
    assert_eq!(last(&["let _a1 = 2", "-_a1 ^ 2"]), Ok(-4.0));
    assert_eq!(last(&["let letter = 4", "letter"]), Ok(4.0));
    assert_eq!(last(&["let größe = 4", "größe/2"]), Ok(2.0));
}

#[test]
fn functions() {
    for (line, want) in [("max(1, 2 * 3, sqrt(9))", 6.0), ("min(4)", 4.0), ("min(3, -2, 5)", -2.0), ("abs(-3) ^ 2", 9.0), ("-abs(-3)", -3.0), ("sqrt ( 16 )", 4.0), ("max((1), min(2, 3)) + 1", 3.0)] {
        assert_eq!(eval(line), Ok(want), "{line}");
    }
}

#[test]
fn a_name_may_be_that_of_a_function() {
    assert_eq!(last(&["let max = 3", "max(max, 2)"]), Ok(3.0));
    assert_eq!(last(&["let max = 3", "max * 2"]), Ok(6.0));
}

#[test]
fn mistakes() {
    for (line, want) in [
        ("y + 1", "nobody knows y"),
        ("f(1)", "nobody knows f()"),
        ("max", "nobody knows max"),
        ("sqrt(1, 2)", "sqrt takes 1 argument, not 2"),
        ("abs()", "abs takes 1 argument, not 0"),
        ("min()", "min takes 1 argument or more"),
        ("sqrt(0 - 1)", "sqrt of a negative number"),
        ("max(1", "a bracket is not closed"),
        ("max(1,)", "nobody expects )"),
        ("1, 2", "nobody expects ,"),
        ("1 = 2", "nobody expects ="),
    ] {
        assert_eq!(eval(line), Err(want.to_string()), "{line}");
    }
    for line in ["let = 1", "let x", "let x =", "let 2x = 1", "let let = 1", "1 + let x = 2", "let x = 1 2", "let f(1) = 2", "2x"] {
        assert!(eval(line).is_err(), "{line}");
    }
}

#[test]
fn a_mistake_changes_no_name() {
    assert_eq!(run(&["let x = 1", "let x = 1 / 0", "let x = 2 3", "x"])[3], Ok(1.0));
    assert_eq!(last(&["let y = y + 1", "y"]), Err("nobody knows y".to_string()));
}

#[test]
fn lines_by_themselves_know_no_names() {
    assert_eq!(eval("let x = 3"), Ok(3.0));
    assert_eq!(eval("x"), Err("nobody knows x".to_string()));
}

#[test]
fn the_program_keeps_names() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_calc")).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    program.stdin.take().unwrap().write_all(b"let x = 2\n\nmax(x, 1) * 2\nz\n").unwrap();
    let out = program.wait_with_output().unwrap().stdout;
    assert_eq!(String::from_utf8(out).unwrap(), "2\n4\nerror: nobody knows z\n");
}
