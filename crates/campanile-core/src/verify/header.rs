//! `.version` and `.target` (spec 6).

use super::Verifier;
use crate::diagnostic::Code;
use crate::module::{Target, Version};
use crate::source::Span;
use crate::syntax::tree::{Header, Item, Tree};

impl Verifier<'_, '_> {
    /// `.version` must be the first statement and `.target` the second.
    pub(super) fn header(&mut self, tree: &Tree) {
        let headers: Vec<(usize, &Header)> = tree
            .items
            .iter()
            .enumerate()
            .filter_map(|(index, item)| match item {
                Item::Header(header) => Some((index, header)),
                _ => None,
            })
            .collect();
        let start =
            tree.items.first().map_or(Span::default(), |item| Span { end: item.span().start, ..item.span() });
        let (mut version, mut target) = (None, None);
        for (index, header) in headers {
            let is_version = self.text(header.directive) == ".version";
            let (seen, wanted) = if is_version { (&mut version, 0) } else { (&mut target, 1) };
            if let Some(first) = *seen {
                let message = format!("`{}` is given twice", self.text(header.directive));
                let diagnostic = self.diagnostic(Code::HeaderOrder, header.directive, message);
                self.sink.push(diagnostic.and(first, "first given here"));
                continue;
            }
            *seen = Some(header.directive);
            if index > wanted {
                let place = if is_version { "first" } else { "second" };
                let message =
                    format!("`{}` must be the {place} statement of a module", self.text(header.directive));
                self.report(Code::HeaderOrder, header.directive, message);
            }
            if is_version { self.version(header) } else { self.target(header) }
        }
        let unreadable = |index: usize, directive: &str| {
            let mut items = tree.unreadable.iter();
            items.any(|item| item.index == index || self.text(item.keyword) == directive)
        };
        let no_version = version.is_none() && !unreadable(0, ".version");
        let no_target = target.is_none() && !unreadable(1, ".target");
        if no_version {
            let diagnostic =
                self.diagnostic(Code::MissingVersion, start, "a module starts with its `.version`");
            self.sink.push(diagnostic.help("add `.version 0.1;` as the first line"));
        }
        if no_target {
            let message = "no `.target` is given, `100` is assumed";
            let diagnostic = self.diagnostic(Code::MissingTarget, start, message);
            self.sink.push(diagnostic.help("add `.target 100;` as the second line"));
        }
    }

    fn version(&mut self, header: &Header) {
        match self.text(header.value) {
            "0.1" | "1.0" => self.module.version = Version { major: 0, minor: 1 },
            other => {
                let message = format!("version {other} of the language is not known");
                let diagnostic = self.diagnostic(Code::UnknownVersion, header.value, message);
                self.sink.push(diagnostic.help("known are 0.1 and, as the same language, LLVM's 1.0"));
            }
        }
    }

    fn target(&mut self, header: &Header) {
        let text = self.text(header.value);
        match Target::ALL.into_iter().find(|target| target.as_str() == text) {
            Some(target) => self.module.target = target,
            None => {
                let message = format!("target {text} is not known");
                let diagnostic = self.diagnostic(Code::UnknownTarget, header.value, message);
                self.sink.push(diagnostic.help("known are 100, 100c and 100ca"));
            }
        }
    }
}
