//! Compares the answers to all requests of `requests.tsv`.

mod answers;

use std::path::Path;

fn octets(hex: &str) -> Vec<u8> {
    assert!(hex.len() % 2 == 0, "an odd number of digits");
    let digit = |index| u8::from_str_radix(&hex[index..index + 2], 16).expect("hexadecimal digits");
    (0..hex.len()).step_by(2).map(digit).collect()
}

#[test]
fn answers_are_those_of_the_vectors() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/requests.tsv");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let mut count = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut parts = line.split('\t');
        let (Some(name), Some(request), Some(answer)) = (parts.next(), parts.next(), parts.next())
        else {
            panic!("not a name, a request and an answer: {line}");
        };
        let found = answers::handle(&octets(request));
        assert_eq!(found, octets(answer), "{name}");
        count += 1;
    }
    assert!(count > 0, "no vectors in {path:?}");
}
