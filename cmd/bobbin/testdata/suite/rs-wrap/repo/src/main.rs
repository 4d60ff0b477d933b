use std::io::Read;

fn main() {
    let columns = match std::env::args().nth(1).map(|a| a.parse::<usize>()) {
        Some(Ok(n)) if n > 0 => n,
        _ => {
            eprintln!("usage: wrap COLUMNS < TEXT");
            std::process::exit(2);
        }
    };
    let mut text = String::new();
    if let Err(e) = std::io::stdin().read_to_string(&mut text) {
        eprintln!("wrap: {e}");
        std::process::exit(1);
    }
    println!("{}", wrap::wrap(&text, columns));
}
