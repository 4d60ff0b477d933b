use std::io::BufRead;

fn main() {
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        if line.trim().is_empty() {
            continue;
        }
        match calc::eval(&line) {
            Ok(value) => println!("{value}"),
            Err(problem) => println!("error: {problem}"),
        }
    }
}
