use super::*;
use crate::types::Scalar;

fn integer(bits: u32) -> Parameter {
    Parameter::direct(Type::integer(bits))
}

fn vector(elements: u32, bits: u32) -> Parameter {
    Parameter::direct(Type::integer(bits).vector(elements))
}

fn copied(ty: Type, alignment: u32) -> Parameter {
    Parameter { ty, passing: Passing::Copied { alignment: Some(alignment) } }
}

fn uniform(bits: u32) -> Parameter {
    Parameter { ty: Type::integer(bits), passing: Passing::Uniform }
}

fn places(parameters: Vec<Parameter>, result: Option<Type>) -> (Vec<String>, Placement) {
    let placement = Placement::of(&Signature { parameters, result });
    (placement.arguments.iter().map(Place::to_string).collect(), placement)
}

#[test]
fn slots_take_the_next_register() {
    let pair = Parameter::direct(Type::Vector { elements: 2, element: Scalar::Half });
    let pointer = Parameter::direct(Scalar::Pointer(0));
    let parameters =
        vec![integer(32), integer(64), pair, vector(3, 16), integer(8), vector(4, 8), pointer, integer(128)];
    let (places, placement) = places(parameters, Some(Type::integer(64)));
    assert_eq!(places, ["v0", "v1-v2", "v3", "v4-v5", "v6", "v7-v10", "v11-v12", "v13-v16"]);
    let ResultPlace::Registers(result) = placement.result else { panic!("{placement:?}") };
    assert_eq!(result.to_string(), "v0-v1");
    assert_eq!(placement.stack_bytes, 0);
}

#[test]
fn what_finds_no_register_goes_to_the_stack_and_may_be_cut() {
    let mut parameters = vec![integer(32); 30];
    parameters.extend([64, 64, 8, 64].map(integer));
    parameters.extend([vector(3, 16), integer(1), integer(128)]);
    let (places, placement) = places(parameters, None);
    let expected = [
        "v30, stack+0",
        "stack+4..12",
        "stack+12",
        "stack+16..24",
        "stack+24..32",
        "stack+32",
        "stack+36..52",
    ];
    assert_eq!(places[30..], expected);
    assert_eq!(placement.stack_bytes, 52);
}

#[test]
fn copies_lie_on_the_stack_at_their_alignment() {
    let mut parameters = vec![integer(32), integer(32), copied(Type::integer(8).array(6), 4)];
    parameters.extend(vec![integer(32); 30]);
    let pair = Type::Struct { members: vec![Type::integer(64); 2], packed: false };
    parameters.extend([copied(pair, 8), integer(16)]);
    parameters.extend([copied(Type::integer(32).array(5), 16), integer(32)]);
    let (places, placement) = places(parameters, None);
    assert_eq!(places[..4], ["v0", "v1", "stack+0..8", "v2"]);
    assert_eq!(places[31..], ["v30", "stack+8", "stack+16..32", "stack+32", "stack+48..68", "stack+68"]);
    assert_eq!(placement.stack_bytes, 72);
}

#[test]
fn copies_of_nothing_take_a_slot() {
    let empty = copied(Type::integer(8).array(0), 16);
    let (places, placement) = places(vec![copied(Type::integer(32), 4), empty], None);
    assert_eq!(places, ["stack+0", "stack+16"]);
    assert_eq!(placement.stack_bytes, 20);
}

#[test]
fn results_of_more_than_32_slots_go_through_memory() {
    let (places, placement) = places(vec![integer(32); 2], Some(Type::integer(32).array(33)));
    assert_eq!(places, ["v1", "v2"]);
    assert_eq!(placement.result, ResultPlace::Memory { pointer: Slot::Vector(0) });
    let result = Some(Type::integer(32).array(32));
    let placement = Placement::of(&Signature { parameters: vec![], result });
    let ResultPlace::Registers(place) = placement.result else { panic!("{placement:?}") };
    assert_eq!(place.slots().last(), Some(Slot::Vector(31)));
}

#[test]
fn uniform_arguments_pass_by_registers_that_are_taken() {
    let signature = Signature { parameters: vec![uniform(64), uniform(64), uniform(32)], result: None };
    let placement = Placement::with_reserved(&signature, |register| (1..4).contains(&register));
    let places: Vec<String> = placement.arguments.iter().map(Place::to_string).collect();
    assert_eq!(places, ["s0, s4", "s5-s6", "s7"]);
    let signature = Signature { parameters: vec![uniform(64); 16], result: None };
    let placement = Placement::of(&signature);
    assert_eq!(placement.arguments[14].to_string(), "s28-s29");
    assert_eq!(placement.arguments[15].to_string(), "v0-v1");
}

#[test]
fn huge_arguments_cost_nothing() {
    let parameters = vec![Parameter::direct(Type::integer(64).array(u64::MAX)), integer(32)];
    let (places, placement) = places(parameters, None);
    assert_eq!(placement.stack_bytes, u64::MAX);
    assert_eq!(places[0].split(',').next(), Some("v0-v30"));
}
