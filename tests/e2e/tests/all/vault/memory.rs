//! What the process's memory holds, and who may look at it.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;

use serde_json::json;
use testkit::{Order, Server, Setup, Shop};

/// Test numbers that nothing else in the process holds: a range of their own.
fn numbers() -> Vec<String> {
    (0..40)
        .map(|n| with_check_digit(&format!("51999900{n:02}48271")))
        .collect()
}

fn with_check_digit(digits: &str) -> String {
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(place, byte)| {
            let digit = u32::from(byte - b'0') * if place % 2 == 0 { 2 } else { 1 };
            digit / 10 + digit % 10
        })
        .sum();
    format!("{digits}{}", (10 - sum % 10) % 10)
}

fn server() -> Server {
    Setup::new().setting("vault.test_ranges", "519999").start()
}

/// What each of the numbers begins with.
const BEGINNING: &[u8] = b"51999900";

/// Which of the texts are somewhere in the memory of a process. Needs root.
fn found_in_memory(pid: u32, texts: &[String]) -> Vec<String> {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap();
    let memory = File::open(format!("/proc/{pid}/mem")).unwrap();
    let mut found = Vec::new();
    for line in maps.lines().filter(|line| line.contains(" rw")) {
        for (from, to) in present(pid, line) {
            let mut bytes = vec![0; usize::try_from(to - from).unwrap()];
            if memory.read_exact_at(&mut bytes, from).is_err() {
                continue;
            }
            let mut rest = bytes.as_slice();
            while let Some(place) = rest.iter().position(|byte| *byte == BEGINNING[0]) {
                rest = &rest[place..];
                if rest.starts_with(BEGINNING) {
                    let is_here = |text: &&String| rest.starts_with(text.as_bytes());
                    found.extend(texts.iter().find(is_here).cloned());
                }
                rest = &rest[1..];
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The parts of a mapping that are in memory. Source: `proc_pid_pagemap(5)`.
fn present(pid: u32, mapping: &str) -> Vec<(u64, u64)> {
    const PAGE: u64 = 4096;
    let (range, _) = mapping.split_once(' ').unwrap();
    let (from, to) = range.split_once('-').unwrap();
    let (from, to) = (
        u64::from_str_radix(from, 16).unwrap(),
        u64::from_str_radix(to, 16).unwrap(),
    );
    let pages = File::open(format!("/proc/{pid}/pagemap")).unwrap();
    let mut entries = vec![0; usize::try_from((to - from) / PAGE * 8).unwrap()];
    if pages.read_exact_at(&mut entries, from / PAGE * 8).is_err() {
        return Vec::new();
    }
    let mut parts: Vec<(u64, u64)> = Vec::new();
    for (n, entry) in (0_u64..).zip(entries.chunks_exact(8)) {
        // Bit 63: in memory.
        if entry[7] & 0x80 == 0 {
            continue;
        }
        let start = from + n * PAGE;
        match parts.last_mut() {
            Some((_, end)) if *end == start => *end += PAGE,
            _ => parts.push((start, start + PAGE)),
        }
    }
    parts
}

#[test]
fn no_core_is_ever_written() {
    let server = server();
    let limits = fs::read_to_string(format!("/proc/{}/limits", server.pid())).unwrap();
    let core = limits
        .lines()
        .find(|line| line.starts_with("Max core file size"))
        .unwrap();
    let bounds: Vec<&str> = core.split_whitespace().skip(4).take(2).collect();
    assert_eq!(bounds, ["0", "0"]);
}

#[test]
fn numbers_do_not_stay_in_memory_after_use() {
    let server = server();
    let shop = server.shop();
    let numbers = numbers();
    for (n, number) in numbers.iter().enumerate() {
        let key = Shop::fresh_key();
        let data = json!({"paymentMethod": {"card": Shop::card(number)}});
        match n % 4 {
            0 => drop(shop.try_tokenise(data, None).root().clone()),
            1 => drop(shop.try_tokenise(data, Some(&key)).root().clone()),
            2 => drop(shop.authorise(number)),
            // Written into the document itself.
            _ => {
                let query = format!(
                    "mutation {{ tokenisePaymentMethod(data: {{paymentMethod: {{card: {{number: \"{number}\", \
                     expMonth: 1, expYear: 2034}}}}}}) {{ id }} }}"
                );
                shop.gql(&query, json!({})).root();
            }
        }
    }
    shop.order(&Order::card(testkit::cards::VISA))
        .assert_status("SUCCEEDED");
    let found = found_in_memory(server.pid(), &numbers);
    // What the last requests left in buffers that are still in use may be there.
    assert!(found.len() <= 1, "{} of 40: {found:?}", found.len());
}
