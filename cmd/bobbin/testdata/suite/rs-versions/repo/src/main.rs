use versions::{newest, Requirement, Version};

fn run(args: &[String]) -> Result<String, String> {
    match args {
        [command, requirement, versions @ ..] if command == "newest" => {
            let requirement: Requirement = requirement.parse()?;
            let versions = versions.iter().map(|v| v.parse()).collect::<Result<Vec<Version>, _>>()?;
            match newest(&requirement, &versions) {
                Some(version) => Ok(version.to_string()),
                None => Err(format!("none of them is {requirement}")),
            }
        }
        _ => Err("usage: versions newest REQUIREMENT VERSION...".to_string()),
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(text) => println!("{text}"),
        Err(problem) => {
            eprintln!("versions: {problem}");
            std::process::exit(1);
        }
    }
}
