//! Writing an extent as people do, with no more parentheses than it needs.

use std::fmt;

use super::{Extent, Operation};

/// How tightly an expression binds; an operand that binds less than its place asks for stands in parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Choice,
    Sum,
    Product,
    Term,
}

impl fmt::Display for Extent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Extent::Literal(value) => write!(formatter, "{value}"),
            Extent::Scalar(name) => formatter.write_str(name),
            Extent::Operation(operation) => write!(formatter, "{operation}"),
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Binding::{Product, Sum, Term};
        let mut infix = |pair: &[Extent; 2], symbol: char, left, right| {
            operand(&pair[0], left, formatter)?;
            write!(formatter, " {symbol} ")?;
            operand(&pair[1], right, formatter)
        };
        match self {
            Operation::Add(pair) => infix(pair, '+', Sum, Product),
            Operation::Sub(pair) => infix(pair, '-', Sum, Product),
            Operation::Mul(pair) => infix(pair, '*', Product, Term),
            Operation::Div(pair) => infix(pair, '/', Product, Term),
            Operation::Rem(pair) => infix(pair, '%', Product, Term),
            Operation::Min(pair) => write!(formatter, "min({}, {})", pair[0], pair[1]),
            Operation::Max(pair) => write!(formatter, "max({}, {})", pair[0], pair[1]),
            Operation::Select(three) => {
                operand(&three[0], Sum, formatter)?;
                write!(formatter, " ? {} : {}", three[1], three[2])
            }
            Operation::Extent(name, dimension) => write!(formatter, "extent({name}, {dimension})"),
            Operation::Count(name) => write!(formatter, "count({name})"),
            Operation::Field(member) => write!(formatter, "{}", member.selection()),
            Operation::ComponentExtent(member) => {
                write!(formatter, "extent({}, {})", member.selection(), member.dimension)
            }
            Operation::ComponentCount(member) => write!(formatter, "count({})", member.selection()),
        }
    }
}

fn operand(extent: &Extent, at_least: Binding, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
    if binding(extent) < at_least { write!(formatter, "({extent})") } else { write!(formatter, "{extent}") }
}

fn binding(extent: &Extent) -> Binding {
    let Extent::Operation(operation) = extent else { return Binding::Term };
    match operation {
        Operation::Select(_) => Binding::Choice,
        Operation::Add(_) | Operation::Sub(_) => Binding::Sum,
        Operation::Mul(_) | Operation::Div(_) | Operation::Rem(_) => Binding::Product,
        _ => Binding::Term,
    }
}
