//! The database from outside, through its door.

#[cfg(test)]
mod books;
#[cfg(test)]
mod counts;
#[cfg(test)]
mod crash;
#[cfg(test)]
mod dates;
#[cfg(test)]
mod lanes;
#[cfg(test)]
mod moved;
#[cfg(test)]
mod nodes;
#[cfg(test)]
mod outage;
#[cfg(test)]
#[path = "../postgres_server/mod.rs"]
mod postgres_server;
#[cfg(test)]
mod proxy;
#[cfg(test)]
mod stamps;
#[cfg(test)]
mod story;
#[cfg(test)]
mod tls;
#[cfg(test)]
mod together;
#[cfg(test)]
mod upkeep;
