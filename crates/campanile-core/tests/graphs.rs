//! Control-flow graphs, dominators, loops and liveness against their definitions, on random graphs of a few blocks.

mod files;
mod programs;

use std::collections::BTreeSet;

use campanile_core::analysis::{ControlFlowGraph, Dominators, Liveness};
use campanile_core::isa::{ControlFlow, Opcode};
use campanile_core::module::{BlockId, Body, Instruction, Module, Operand, RegisterId, Scalar, keys};
use files::module;
use programs::{Program, Random};

type Blocks = BTreeSet<BlockId>;

/// The blocks that can be reached over edges between allowed blocks, in no or more steps.
fn reach(from: BlockId, next: &dyn Fn(BlockId) -> Vec<BlockId>, allowed: &dyn Fn(BlockId) -> bool) -> Blocks {
    let (mut found, mut open) = (Blocks::new(), vec![from]);
    while let Some(block) = open.pop().filter(|_| allowed(from)) {
        if found.insert(block) {
            open.extend(next(block).into_iter().filter(|next| allowed(*next)));
        }
    }
    found
}

fn check_dominators(
    dominators: &Dominators,
    root: BlockId,
    blocks: &[BlockId],
    next: &dyn Fn(BlockId) -> Vec<BlockId>,
    text: &str,
) {
    let all = reach(root, next, &|_| true);
    let dominates = |above: BlockId, below: BlockId| {
        all.contains(&below)
            && (above == below || !reach(root, next, &|block| block != above).contains(&below))
    };
    for below in blocks.iter().copied() {
        for above in blocks.iter().copied() {
            assert_eq!(
                dominators.dominates(above, below),
                dominates(above, below),
                "{above} {below}\n{text}"
            );
        }
        let strict: Vec<_> =
            blocks.iter().filter(|above| **above != below && dominates(**above, below)).collect();
        let nearest = strict.iter().find(|near| strict.iter().all(|above| dominates(**above, ***near)));
        assert_eq!(dominators.immediate(below), nearest.map(|block| **block), "{below}\n{text}");
    }
}

/// The loops among some blocks, outer ones first, each with its entries and depth.
fn loops(
    graph: &ControlFlowGraph,
    blocks: &Blocks,
    cut: &Blocks,
    depth: u32,
    found: &mut BTreeSet<(Vec<BlockId>, Vec<BlockId>, u32)>,
) {
    let inside = |block: BlockId| blocks.contains(&block) && !cut.contains(&block);
    let next = |block: BlockId| graph.successors(block).to_vec();
    let after = |block: BlockId| -> Blocks {
        let starts = graph.successors(block).iter().filter(|next| inside(**next));
        starts.flat_map(|start| reach(*start, &next, &inside)).collect()
    };
    for block in blocks.iter().filter(|block| after(**block).contains(*block)) {
        let region: Blocks =
            after(*block).into_iter().filter(|other| after(*other).contains(block)).collect();
        let is_entry = |block: &BlockId| {
            block.as_u32() == 0 || graph.predecessors(*block).iter().any(|before| !region.contains(before))
        };
        let entries: Vec<_> = region.iter().copied().filter(is_entry).collect();
        if found.insert((region.iter().copied().collect(), entries.clone(), depth)) {
            let cut = cut.iter().chain(&entries).copied().collect();
            loops(graph, &region, &cut, depth + 1, found);
        }
    }
}

fn check_graph(body: &Body, text: &str) {
    let graph = ControlFlowGraph::new(body);
    let blocks: Vec<BlockId> = keys(&body.blocks).collect();
    let next = |block: BlockId| graph.successors(block).to_vec();
    let before = |block: BlockId| graph.predecessors(block).to_vec();
    let reached = reach(blocks[0], &next, &|_| true);
    assert_eq!(graph.reverse_post_order().iter().copied().collect::<Blocks>(), reached, "{text}");
    assert_eq!(graph.reverse_post_order().len(), reached.len());
    check_dominators(&graph.dominators(), blocks[0], &blocks, &next, text);
    check_dominators(&graph.post_dominators(), graph.exit(), &blocks, &before, text);
    let mut expected = BTreeSet::new();
    loops(&graph, &reached, &Blocks::new(), 1, &mut expected);
    let regions = graph.regions();
    let all = regions.all.values();
    let found: BTreeSet<_> =
        all.map(|region| (region.blocks.clone(), region.entries.clone(), region.depth)).collect();
    assert_eq!(found, expected, "{text}");
    for block in blocks {
        let around = expected.iter().filter(|(blocks, ..)| blocks.contains(&block)).count();
        assert_eq!(regions.depth(block) as usize, around, "{block}\n{text}");
        for (id, region) in &regions.all {
            assert_eq!(regions.contains(id, block), region.blocks.contains(&block), "{block}\n{text}");
        }
    }
}

/// The registers that an instruction of a random program reads and writes.
fn uses(body: &Body, instruction: &Instruction) -> (Vec<RegisterId>, Vec<RegisterId>) {
    let slots = instruction.op.form.entry().form.operands;
    let (mut reads, mut writes) = (vec![], vec![]);
    for (slot, operand) in slots.iter().zip(body.operands(instruction)) {
        match *operand {
            Operand::Scalar(Scalar::Register(register)) | Operand::Predicate { register, .. } => {
                if slot.written { &mut writes } else { &mut reads }.push(register);
            }
            Operand::Address(address) => {
                if let campanile_core::module::Base::Scalar(Scalar::Register(register)) = address.base {
                    reads.push(register);
                }
            }
            _ => {}
        }
    }
    (reads, writes)
}

/// Live is what is read on some way before it is written.
fn check_liveness(body: &Body, text: &str) {
    let graph = ControlFlowGraph::new(body);
    let liveness = Liveness::new(body, &graph);
    for block in graph.reverse_post_order() {
        for register in keys(&body.registers) {
            let first = |block: BlockId| {
                let mut instructions = body.block_instructions(block).iter();
                instructions.find_map(|instruction| match uses(body, instruction) {
                    (reads, _) if reads.contains(&register) => Some(true),
                    (_, writes) if writes.contains(&register) => Some(false),
                    _ => None,
                })
            };
            let next = |block: BlockId| match first(block) {
                None => graph.successors(block).to_vec(),
                Some(_) => vec![],
            };
            let ways = |block: BlockId| {
                reach(block, &next, &|_| true).into_iter().any(|block| first(block) == Some(true))
            };
            let live = liveness.live_in(*block).contains(&register);
            assert_eq!(live, ways(*block), "{register} into {block}\n{text}");
            let out = graph.successors(*block).iter().any(|next| ways(*next));
            assert_eq!(
                liveness.live_out(*block).contains(&register),
                out,
                "{register} out of {block}\n{text}"
            );
        }
    }
}

fn kernel_body(module: &Module) -> &Body {
    let kernel = module.kernels().next().expect("a kernel");
    module.functions[kernel].body.as_ref().expect("a body")
}

#[test]
fn random_graphs() {
    for seed in 0..1500 {
        let text = Program::new(&mut Random(seed)).text();
        let module = module("random", &text);
        check_graph(kernel_body(&module), &text);
        check_liveness(kernel_body(&module), &text);
    }
}

#[test]
fn what_lives_across_calls() {
    let text = ".version 0.1; .target 100;
.function .32b @f(.reg .32b %v) { return %v; }
.kernel @k(.param[8] %n) {
  .reg .32b %kept, %argument, %result, %old; .reg .v2.32b %pair; .reg .64b %p; .pred %c;
  ld.param.64b %p, [%n]; mov.32b %kept, 1; mov.32b %argument, 2; mov.32b %old, 3;
  mov.32b %pair.x, 4; mov.32b %pair.y, 5; ucmp.eq.32b %c, %kept, 0;
  call %result, @f(%argument);
  mov.32b %pair.x, 6;
  call.cond %c, %old, @f(%argument);
  iadd.32b %kept, %kept, %old; st.global.v2.32b [%p], %pair; st.global.32b [%p + 8], %kept; return;
}";
    let module = module("calls", text);
    let body = kernel_body(&module);
    let graph = ControlFlowGraph::new(body);
    let found = Liveness::new(body, &graph).across_calls(body, BlockId::from_u32(0));
    let names = |registers: &[RegisterId]| {
        let names = registers.iter().map(|register| &*body.registers[*register].name);
        names.collect::<Vec<_>>().join(" ")
    };
    // One element of the pair is still to be written, the other one is kept; the conditional call may leave the old value.
    let shown: Vec<_> = found.iter().map(|(_, registers)| names(registers)).collect();
    assert_eq!(shown, ["kept old pair p", "kept argument old pair p c"]);
    let is_call =
        |index: u32| body.instructions[index as usize].op.opcode() == Opcode::ControlFlow(ControlFlow::Call);
    assert!(found.iter().all(|(index, _)| is_call(*index)));
}

/// A chain of blocks, each with a way out, and a deep nest of loops: neither recursion nor time without end.
#[test]
fn long_chains() {
    let mut text =
        ".version 0.1; .target 100; .kernel @k() { .pred %c; ucmp.eq.32b %c, %laneid, 0;\n".to_owned();
    for number in 0..20_000 {
        text += &format!("  goto.cond %c, end;\nb{number}:\n  ucmp.eq.32b %c, %laneid, {number};\n");
    }
    for number in (0..20_000).rev().step_by(100) {
        text += &format!("  goto.cond %c, b{number};\n");
    }
    text += "end:\n  return;\n}\n";
    let module = module("chain", &text);
    let body = kernel_body(&module);
    let graph = ControlFlowGraph::new(body);
    let (dominators, post) = (graph.dominators(), graph.post_dominators());
    let regions = graph.regions();
    assert!(dominators.dominates(BlockId::from_u32(0), graph.exit()));
    assert!(post.dominates(graph.exit(), BlockId::from_u32(0)));
    assert_eq!(regions.all.len(), 200);
    assert!(!regions.all.values().any(|region| region.is_irreducible()));
}
