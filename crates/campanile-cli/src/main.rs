//! `pisa`: the command line of Campanile. Each subcommand is a file; this one lists and dispatches them.

mod abi;
mod advice;
mod arrays;
mod check;
mod console;
mod doctor;
mod emit;
mod engines;
mod explain;
mod fmt;
mod input;
mod kernels;
mod layout;
mod link;
mod number;
mod output;
mod progress;
mod render;
mod run;
mod spirv_check;
mod test;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use console::{Console, ConsoleOptions};

/// Whether the input of a command was in order. What was wrong has been reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// All of it was.
    Fine,
    /// The input is at fault.
    Faulty,
    /// Some of it could not be read.
    Failed,
}

/// The open toolchain for PISA, Intel's portable instruction set for GPUs.
#[derive(Debug, Parser)]
#[command(
    name = "pisa",
    version,
    max_term_width = 100,
    long_version = concat!(env!("CARGO_PKG_VERSION"), "\nPISA version 0.1, targets 100, 100c, 100ca\nengines: checked, jit, opencl"),
    after_help = "Exit status: 0 fine, 1 the input is at fault, 2 wrong usage or environment.\n\
                  `pisa COMMAND --help` has examples of each command."
)]
struct Arguments {
    #[command(flatten)]
    console: ConsoleOptions,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::Check),
    Fmt(fmt::Fmt),
    Link(link::Link),
    Run(Box<run::Run>),
    Layout(layout::Layout),
    Abi(abi::Abi),
    Test(test::Test),
    Emit(emit::Emit),
    SpirvCheck(spirv_check::SpirvCheck),
    Explain(explain::Explain),
    Doctor(doctor::Doctor),
}

fn main() -> ExitCode {
    let arguments = Arguments::try_parse().unwrap_or_else(|error| misused(&error));
    let console = Console::new(&arguments.console);
    let result = match arguments.command {
        Command::Check(command) => command.execute(&console),
        Command::Fmt(command) => command.execute(&console),
        Command::Link(command) => command.execute(&console),
        Command::Run(command) => command.execute(&console),
        Command::Layout(command) => command.execute(&console),
        Command::Abi(command) => command.execute(&console),
        Command::Test(command) => command.execute(&console),
        Command::Emit(command) => command.execute(&console),
        Command::SpirvCheck(command) => command.execute(&console),
        Command::Explain(command) => command.execute(&console),
        Command::Doctor(command) => command.execute(&console),
    };
    match result {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Faulty) => ExitCode::from(1),
        Ok(Outcome::Failed) => ExitCode::from(2),
        Err(error) => {
            console.error(&error);
            ExitCode::from(2)
        }
    }
}

/// Tells of a command line that cannot be read, or prints the help asked for, and ends the program.
fn misused(error: &clap::Error) -> ! {
    let mut words = std::env::args();
    let json = words.any(|word| word == "--message-format=json")
        || std::env::args()
            .zip(std::env::args().skip(1))
            .any(|(name, value)| name == "--message-format" && value == "json");
    if !json || !error.use_stderr() {
        error.exit();
    }
    let text = error.render().to_string();
    let paragraph = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut paragraphs = text.split("\n\n").map(paragraph);
    let message = paragraphs.next().unwrap_or_default();
    let tip = paragraphs.find_map(|text| text.strip_prefix("tip: ").map(str::to_owned));
    eprintln!("{}", render::error_json(None, message.trim_start_matches("error: "), tip.as_deref()));
    std::process::exit(2)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Arguments::command().debug_assert();
    }
}
