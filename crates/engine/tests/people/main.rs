//! Stories about customers, their methods, credentials and the people who run the service, played in a simulated world.

#[cfg(test)]
mod access;
#[cfg(test)]
mod account;
#[cfg(test)]
mod admin;
#[cfg(test)]
mod attachments;
#[cfg(test)]
mod audit;
#[cfg(test)]
mod cards;
#[cfg(test)]
mod certain;
#[cfg(test)]
mod codes;
#[cfg(test)]
mod connections;
#[cfg(test)]
mod counted;
#[cfg(test)]
mod credentials;
#[cfg(test)]
mod customers;
#[cfg(test)]
mod desk;
#[cfg(test)]
mod endpoints;
#[cfg(test)]
mod erasure;
#[cfg(test)]
mod files;
#[cfg(test)]
mod flows;
#[cfg(test)]
mod following;
#[cfg(test)]
mod forgetting;
#[cfg(test)]
mod jobs;
#[cfg(test)]
mod key_life;
#[cfg(test)]
mod lists;
#[cfg(test)]
mod methods;
#[cfg(test)]
mod onward;
#[cfg(test)]
mod probing;
#[cfg(test)]
mod processor;
#[cfg(test)]
mod processor_tokens;
#[cfg(test)]
mod receivers;
#[cfg(test)]
mod registering;
#[cfg(test)]
mod returning;
#[cfg(test)]
mod rotating;
#[cfg(test)]
mod shop;
#[cfg(test)]
mod stored_cards;
#[cfg(test)]
mod sweeps;
#[cfg(test)]
mod tokens;
