//! Every sample verifies, and all forms of the instruction table come up.

mod support;

use campanile_core::isa::{FORMS, Words};
use campanile_smith::Options;

/// Samples made; each has a few hundred instructions.
const SAMPLES: u64 = 1000;

#[test]
fn samples_verify_and_contain_every_form_and_word() {
    let mut forms = vec![0u32; FORMS.len()];
    let mut words: Vec<Vec<Vec<u32>>> = FORMS
        .iter()
        .map(|entry| {
            let counts = |words: &Words| match words {
                Words::Listed(words) => vec![0; words.len()],
                Words::Number { first, last, .. } => vec![0; usize::from(last - first) + 1],
            };
            entry.qualifiers.iter().map(|slot| counts(&slot.words)).collect()
        })
        .collect();
    for seed in 0..SAMPLES {
        let sample = campanile_smith::from_seed(seed, Options::default());
        let module = support::load(&sample).unwrap_or_else(|fault| panic!("seed {seed}: {fault}"));
        let bodies = module.functions.values().filter_map(|function| function.body.as_ref());
        for instruction in bodies.flat_map(|body| &body.instructions) {
            let form = usize::from(instruction.op.form.0);
            forms[form] += 1;
            for (slot, counts) in FORMS[form].qualifiers.iter().zip(&mut words[form]) {
                let word = instruction.op.written(slot.name);
                let index = match &slot.words {
                    Words::Listed(all) => all.iter().position(|one| Some(*one) == word),
                    Words::Number { first, .. } => {
                        instruction.op.number(slot.name).map(|number| usize::from(number - first))
                    }
                };
                if let Some(index) = index {
                    counts[index] += 1;
                }
            }
        }
    }
    let mut missing = Vec::new();
    for ((entry, count), words) in FORMS.iter().zip(&forms).zip(&words) {
        if *count == 0 {
            missing.push(format!("`{}` ({})", entry.form.syntax, entry.form.title));
        }
        for (slot, counts) in entry.qualifiers.iter().zip(words) {
            let Words::Listed(all) = &slot.words else { continue };
            let never = all.iter().zip(counts).filter(|(_, count)| **count == 0);
            // One byte is one element, and moving that is the form for scalars.
            let never = never.filter(|(word, _)| !(**word == ".8b" && entry.form.syntax.contains("swizzle")));
            missing.extend(never.map(|(word, _)| format!("{word} of `{}`", entry.form.syntax)));
        }
    }
    let met = forms.iter().filter(|count| **count > 0).count();
    println!("{met} of {} forms in {SAMPLES} samples; rarest: {}", FORMS.len(), rarest(&forms));
    assert!(missing.is_empty(), "never met:\n{}", missing.join("\n"));
}

fn rarest(forms: &[u32]) -> String {
    let mut order: Vec<usize> = (0..forms.len()).collect();
    order.sort_by_key(|form| forms[*form]);
    let names = order.iter().take(8).map(|form| {
        format!("{} of `{}` {}", forms[*form], FORMS[*form].form.syntax, FORMS[*form].form.title)
    });
    names.collect::<Vec<_>>().join("; ")
}
