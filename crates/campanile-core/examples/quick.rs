fn main() {
    for path in std::env::args().skip(1) {
        let t = std::fs::read_to_string(&path).unwrap();
        let s = std::sync::Arc::new(campanile_core::source::SourceFile::new(path.clone(), t).unwrap());
        let mut sink = campanile_core::diagnostic::Sink::new();
        let start = std::time::Instant::now();
        campanile_core::load(&s, &mut sink);
        if std::env::var("TIME").is_ok() {
            eprintln!("{:?}", start.elapsed());
        }
        for d in sink.into_sorted() {
            let (l, c) = s.position(d.span().start);
            println!(
                "{path}:{l}:{c}: {} {:?}: {} [{}] help: {:?}",
                d.code, d.severity, d.message, d.labels[0].text, d.help
            );
        }
    }
}
