//! Records: where their fields lie, and what becomes of their components.

use campanile_contract::interface::{ArgumentKind, Intent};
use campanile_contract::layout::Kind;
use campanile_contract::{
    Field, FieldFault, KernelInterface, Number, Record, RecordFault, RecordLayout, finalize,
};

fn offsets(record: &RecordLayout) -> Vec<Option<u32>> {
    record.fields.iter().map(|field| field.offset).collect()
}

#[test]
fn fields_are_laid_out_naturally() {
    let fields = vec![
        Field::plain("a", Number::U8),
        Field::plain("b", Number::F64),
        Field::allocatable("q", Number::F64, 2),
        Field::plain("c", Number::I16),
    ];
    let record = RecordLayout::new("R", &fields.into()).unwrap();
    assert_eq!((record.size, record.alignment), (24, 8));
    assert_eq!(offsets(&record), [Some(0), Some(8), None, Some(16)]);
}

#[test]
fn places_may_be_stated() {
    let fields = vec![
        Field::plain("a", Number::U8).at(12),
        Field::plain("b", Number::U16),
        Field::plain("c", Number::F32).at(4),
        Field::plain("d", Number::U8),
    ];
    let record = Record { fields, size: Some(32), alignment: Some(16) };
    let record = RecordLayout::new("R", &record).unwrap();
    assert_eq!((record.size, record.alignment), (32, 16));
    assert_eq!(offsets(&record), [Some(12), Some(14), Some(4), Some(8)]);
}

#[test]
fn what_does_not_fit_is_refused() {
    let two = |second: Field| vec![Field::plain("a", Number::F32), second];
    let field_fault = |second: Field| match RecordLayout::new("R", &two(second).into()) {
        Err(RecordFault::Field { field, fault, .. }) => (field, fault),
        other => panic!("{other:?}"),
    };
    for (second, expected) in [
        (Field::plain("b", Number::F64).at(4), FieldFault::Misaligned { offset: 4, size: 8 }),
        (Field::plain("b", Number::U8).at(3), FieldFault::Overlap("a".into())),
        (Field::allocatable("b", Number::U8, 1).at(8), FieldFault::AllocatableOffset),
        (Field::allocatable("b", Number::U8, 0), FieldFault::AllocatableScalar),
        (Field { rank: 1, ..Field::plain("b", Number::U8) }, FieldFault::PlainArray),
    ] {
        assert_eq!(field_fault(second), ("b".into(), expected));
    }
    assert_eq!(field_fault(Field::plain("a", Number::U8)), ("a".into(), FieldFault::Twice));
    let stated = |size, alignment| {
        RecordLayout::new("R", &Record { fields: two(Field::plain("b", Number::F64)), size, alignment })
    };
    assert!(matches!(stated(Some(8), None), Err(RecordFault::Size { least: 16, .. })));
    assert!(matches!(stated(Some(20), None), Err(RecordFault::Size { alignment: 8, .. })));
    assert!(matches!(stated(None, Some(4)), Err(RecordFault::Alignment { least: 8, .. })));
    assert!(matches!(stated(None, Some(1 << 17)), Err(RecordFault::Alignment { .. })));
    assert!(matches!(stated(None, Some(24)), Err(RecordFault::Alignment { .. })));
    let far = vec![Field::plain("a", Number::F64).at(u32::MAX - 7)];
    assert_eq!(RecordLayout::new("R", &far.into()), Err(RecordFault::TooLarge("R".into())));
}

#[test]
fn components_of_a_single_record_are_taken_apart() {
    for (polymorphic, kind) in [(false, Kind::Struct), (true, Kind::Class)] {
        let fields = vec![Field::plain("k", Number::I32), Field::allocatable("q", Number::F64, 2)];
        let argument = ArgumentKind::Record { record: "Cell".into(), polymorphic };
        let kernel = KernelInterface::kernel("k").record("Cell", fields).argument("cell", argument);
        let layout = finalize(&kernel.intent(Intent::In), Default::default()).unwrap();
        let kinds: Vec<Kind> = layout.buffers.iter().map(|buffer| buffer.kind).collect();
        assert_eq!(kinds, [kind, Kind::MemberData, Kind::MemberOffsets, Kind::MemberSizes]);
        assert!(layout.buffers[1..].iter().all(|buffer| buffer.member.as_deref() == Some("q")));
        assert_eq!(layout.scalars, []);
    }
}
