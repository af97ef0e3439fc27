//! A queue that is fair between clients: start-time fair queueing (Goyal, Vin and Cheng, 1996).
//!
//! Each client has a counter of the cost that it was charged. [`FairQueue::pop`] serves the waiting
//! client with the lowest counter, so a client with many items delays only itself. When a client
//! starts to wait, its counter is raised to that of the client served last. So an idle client
//! cannot save up service. While the queue is empty, charges have no effect, and all counters are
//! dropped.
//!
//! Items of one client are ordered by rank, and within a rank by arrival. The outputs of a request
//! have the ranks 0, 1, 2, …, so the first output of each request precedes the second output of
//! any.
//!
//! Cost: `pop` is linear in the number of clients, and everything else is logarithmic. An idle
//! client is dropped when others were charged as much as it was.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Identifies a client within one process. Requests without a client share the default value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Client(u64);

impl Client {
    /// Returns the client with a name, such as an API key or an address.
    pub fn named(name: &impl Hash) -> Self {
        let mut hasher = DefaultHasher::new();
        name.hash(&mut hasher);
        Self(hasher.finish())
    }
}

/// The waiting items of all clients.
#[derive(Debug)]
pub struct FairQueue<T> {
    clients: BTreeMap<Client, Waiting<T>>,
    /// The charge that the client served last had before that service.
    virtual_time: u64,
    /// The arrival number of the next item.
    arrivals: u64,
    len: usize,
}

/// The waiting items of one client, and the cost that the client was charged.
#[derive(Debug)]
struct Waiting<T> {
    charged: u64,
    /// The charge when the client started to wait. Refunds do not lower the charge below it.
    least: u64,
    /// The items by (rank, arrival number).
    items: BTreeMap<(u32, u64), T>,
}

impl<T> Default for FairQueue<T> {
    fn default() -> Self {
        Self { clients: BTreeMap::new(), virtual_time: 0, arrivals: 0, len: 0 }
    }
}

impl<T> FairQueue<T> {
    /// Returns the number of waiting items.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no item waits.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the number of waiting items of one client.
    pub fn len_of(&self, client: Client) -> usize {
        self.clients.get(&client).map_or(0, |waiting| waiting.items.len())
    }

    /// Adds an item after the items of the same client with the same rank.
    pub fn push(&mut self, client: Client, rank: u32, item: T) {
        let arrival = self.arrivals;
        let (virtual_time, waiting) = (self.virtual_time, self.of(client));
        if waiting.items.is_empty() {
            waiting.raise(virtual_time);
        }
        waiting.items.insert((rank, arrival), item);
        self.arrivals += 1;
        self.len += 1;
    }

    /// Removes and returns the next item of the client with the lowest charge. Of clients with
    /// equal charges, the one whose item arrived first is served. `None` if the queue is empty.
    pub fn pop(&mut self) -> Option<(Client, T)> {
        let next = self.clients.iter().filter_map(|(&client, waiting)| {
            let (&(_, arrival), _) = waiting.items.first_key_value()?;
            Some((waiting.charged, arrival, client))
        });
        let (charged, _, client) = next.min()?;
        let (_, item) = self.of(client).items.pop_first()?;
        self.virtual_time = self.virtual_time.max(charged);
        self.len -= 1;
        let (is_empty, virtual_time) = (self.is_empty(), self.virtual_time);
        self.clients.retain(|_, waiting| {
            !waiting.items.is_empty() || (!is_empty && waiting.charged > virtual_time)
        });
        Some((client, item))
    }

    /// Adds to the charge of a client. Has no effect while the queue is empty, because no client is
    /// delayed then.
    pub fn charge(&mut self, client: Client, cost: u64) {
        if self.is_empty() {
            return;
        }
        let (virtual_time, waiting) = (self.virtual_time, self.of(client));
        waiting.raise(virtual_time);
        waiting.charged = waiting.charged.saturating_add(cost);
    }

    /// Subtracts from the charge of a client, down to its charge at the start of the wait.
    pub fn refund(&mut self, client: Client, cost: u64) {
        if let Some(waiting) = self.clients.get_mut(&client) {
            waiting.charged = waiting.charged.saturating_sub(cost).max(waiting.least);
        }
    }

    /// Drops the items for which `is_wanted` returns false.
    pub fn retain(&mut self, mut is_wanted: impl FnMut(&T) -> bool) {
        for waiting in self.clients.values_mut() {
            waiting.items.retain(|_, item| is_wanted(item));
        }
        self.len = self.clients.values().map(|waiting| waiting.items.len()).sum();
    }

    fn of(&mut self, client: Client) -> &mut Waiting<T> {
        self.clients.entry(client).or_default()
    }
}

impl<T> Default for Waiting<T> {
    fn default() -> Self {
        Self { charged: 0, least: 0, items: BTreeMap::new() }
    }
}

impl<T> Waiting<T> {
    /// Raises the charge to that of the client served last, so that an idle client cannot save up
    /// service.
    fn raise(&mut self, virtual_time: u64) {
        if self.charged < virtual_time {
            (self.charged, self.least) = (virtual_time, virtual_time);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Serves all items, each at its cost, and lists them.
    fn served(queue: &mut FairQueue<(&'static str, u64)>) -> Vec<&'static str> {
        std::iter::from_fn(|| {
            let (client, (name, cost)) = queue.pop()?;
            queue.charge(client, cost);
            Some(name)
        })
        .collect()
    }

    #[test]
    fn a_client_that_asks_for_much_delays_itself_alone() {
        let (many, few) = (Client::named(&"many"), Client::named(&"few"));
        let mut queue = FairQueue::default();
        for name in ["m1", "m2", "m3", "m4"] {
            queue.push(many, 0, (name, 10));
        }
        queue.push(few, 0, ("f1", 10));
        queue.push(few, 0, ("f2", 10));
        assert_eq!(served(&mut queue), ["m1", "f1", "m2", "f2", "m3", "m4"]);
    }

    #[test]
    fn a_client_pays_by_cost_and_gets_back_what_it_did_not_use() {
        let (dear, cheap) = (Client::named(&"dear"), Client::named(&"cheap"));
        let fill = |queue: &mut FairQueue<_>| {
            for name in ["d1", "d2", "d3"] {
                queue.push(dear, 0, (name, 30));
            }
            for name in ["c1", "c2", "c3"] {
                queue.push(cheap, 0, (name, 10));
            }
        };
        let mut queue = FairQueue::default();
        fill(&mut queue);
        assert_eq!(served(&mut queue), ["d1", "c1", "c2", "c3", "d2", "d3"]);
        let mut queue = FairQueue::default();
        fill(&mut queue);
        let (client, (name, cost)) = queue.pop().expect("something waits");
        queue.charge(client, cost);
        queue.refund(client, 30);
        assert_eq!((name, served(&mut queue)), ("d1", vec!["d2", "c1", "c2", "c3", "d3"]));
    }

    #[test]
    fn who_comes_late_is_served_next_and_not_for_ever() {
        let (old, new) = (Client::named(&"old"), Client::named(&"new"));
        let mut queue = FairQueue::default();
        for name in ["o1", "o2", "o3", "o4", "o5"] {
            queue.push(old, 0, (name, 10));
        }
        let mut order = Vec::new();
        for _ in 0..3 {
            let (client, (name, cost)) = queue.pop().expect("something waits");
            queue.charge(client, cost);
            order.push(name);
        }
        for name in ["n1", "n2", "n3"] {
            queue.push(new, 0, (name, 10));
        }
        order.extend(served(&mut queue));
        assert_eq!(order, ["o1", "o2", "o3", "n1", "o4", "n2", "o5", "n3"]);
    }

    #[test]
    fn first_outputs_of_requests_come_before_second_ones() {
        let client = Client::default();
        let mut queue = FairQueue::default();
        for name in ["a0", "a1", "a2"] {
            queue.push(client, name[1..].parse().expect("a rank"), (name, 1));
        }
        queue.push(client, 0, ("b0", 1));
        assert_eq!(served(&mut queue), ["a0", "b0", "a1", "a2"]);
    }

    proptest! {
        /// While two clients wait, their charges differ by at most the cost of the most expensive
        /// item.
        #[test]
        fn waiting_clients_are_served_alike(costs in prop::collection::vec((0_u8..3, 1_u64..50), 1..80)) {
            let mut queue = FairQueue::default();
            for (rank, &(client, cost)) in (0..).zip(&costs) {
                queue.push(Client::named(&client), rank, (client, cost));
            }
            let dearest = costs.iter().map(|(_, cost)| *cost).max().unwrap_or(0);
            let mut spent = [0_u64; 3];
            while let Some((client, (number, cost))) = queue.pop() {
                queue.charge(client, cost);
                spent[usize::from(number)] += cost;
                let waiting = (0..3_u8).filter(|number| queue.len_of(Client::named(number)) > 0);
                let counters: Vec<u64> = waiting.map(|number| spent[usize::from(number)]).collect();
                let (least, most) = (counters.iter().min(), counters.iter().max());
                prop_assert!(most.copied().unwrap_or(0) - least.copied().unwrap_or(0) <= dearest);
            }
            prop_assert_eq!(spent.iter().sum::<u64>(), costs.iter().map(|(_, cost)| cost).sum::<u64>());
        }

        /// The counts agree with the items, whatever is dropped. No state of a client remains when
        /// all items are served.
        #[test]
        fn nothing_is_lost(items in prop::collection::vec((0_u8..5, 0_u32..3), 0..60), dropped in 0_u32..3) {
            let mut queue = FairQueue::default();
            for &(client, rank) in &items {
                queue.push(Client::named(&client), rank, rank);
            }
            queue.retain(|rank| *rank != dropped);
            let kept = items.iter().filter(|(_, rank)| *rank != dropped).count();
            prop_assert_eq!(queue.len(), kept);
            prop_assert_eq!(std::iter::from_fn(|| queue.pop()).count(), kept);
            prop_assert!(queue.is_empty() && (kept == 0 || queue.clients.is_empty()));
        }
    }
}
