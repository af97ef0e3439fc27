//! The open connections: limits their number, and chooses one to close in favour of a new one.
//!
//! A connection *waits* while it has no complete request: before or within a head, within a body,
//! and between requests. It is *served* from the end of a body to the end of the reply. When a
//! limit is reached, one waiting connection is closed in favour of a new one. This is the one that
//! waits longest: of the address that has reached its limit, or else of the address with the most
//! connections. So incomplete requests never exclude complete ones.
//!
//! A connection that is served is never closed in favour of another. If all connections of an
//! address are served, a new one from this address is refused. If all connections of the server are
//! served, the listener accepts none until one ends.
//!
//! Cost: linear in the number of connections.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

/// Minimum time between two log lines about closed connections.
const LOG_EVERY: Duration = Duration::from_secs(5);

/// Limits on the number of connections: in total, and of one address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) all: usize,
    pub(crate) of_address: usize,
}

/// The open connections of a listener.
#[derive(Debug)]
pub(crate) struct Connections {
    table: Mutex<Table>,
    /// Notified when a connection ends or starts to wait.
    changed: Notify,
    bounds: Bounds,
}

#[derive(Debug, Default)]
struct Table {
    open: BTreeMap<u64, Open>,
    /// Number of the next connection.
    next: u64,
    /// Number of connections that were closed or refused since the last log line about them.
    unlogged: usize,
    logged: Option<Instant>,
}

/// An open connection, as an entry of the table.
#[derive(Debug)]
struct Open {
    address: IpAddr,
    /// Time at which the connection started to wait. `None` while it is served.
    waits: Option<Instant>,
    close: Arc<Notify>,
    /// Whether the connection is being closed. Its file descriptor stays open until this is done.
    is_closing: bool,
}

/// The reason why there is no place for a new connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NoPlace {
    /// The address has its maximum number of connections, and all of them are served.
    Address,
    /// Another connection is being closed to make room, or all connections are served. A later
    /// attempt may succeed.
    Yet,
}

/// A connection, as its requests refer to it. Clones refer to the same connection.
#[derive(Clone, Debug)]
pub(crate) struct Connection {
    connections: Arc<Connections>,
    number: u64,
    address: IpAddr,
    close: Arc<Notify>,
}

/// The entry of a connection in the table. Dropping it removes the entry.
#[derive(Debug)]
pub(crate) struct Place(Connection);

impl Connections {
    pub(crate) fn new(bounds: Bounds) -> Arc<Self> {
        Arc::new(Self { table: Mutex::default(), changed: Notify::new(), bounds })
    }

    /// Waits for a place for a new connection. `None` if the address has its maximum number of
    /// connections and all of them are served.
    pub(crate) async fn place(self: &Arc<Self>, address: IpAddr) -> Option<Place> {
        loop {
            match self.try_place(network_of(address)) {
                Ok(place) => return Some(place),
                Err(NoPlace::Address) => return None,
                Err(NoPlace::Yet) => self.changed.notified().await,
            }
        }
    }

    fn try_place(self: &Arc<Self>, address: IpAddr) -> Result<Place, NoPlace> {
        let mut table = self.lock();
        let is_own = |open: &Open| open.address == address;
        let own = table.open.values().filter(|open| is_own(open)).count();
        let is_of_address = own >= self.bounds.of_address;
        if is_of_address || table.open.len() >= self.bounds.all {
            let may_close = |open: &Open| !is_of_address || is_own(open);
            if table.open.values().any(|open| open.is_closing && may_close(open)) {
                return Err(NoPlace::Yet);
            }
            table.note();
            let closed = table.longest_waiting(may_close);
            return Err(match closed.and_then(|number| table.open.get_mut(&number)) {
                Some(open) => {
                    open.is_closing = true;
                    open.close.notify_one();
                    NoPlace::Yet
                }
                None if is_of_address => NoPlace::Address,
                None => NoPlace::Yet,
            });
        }
        let (number, close) = (table.next, Arc::new(Notify::new()));
        let waits = Some(Instant::now());
        let open = Open { address, waits, close: Arc::clone(&close), is_closing: false };
        table.open.insert(number, open);
        table.next += 1;
        Ok(Place(Connection { connections: Arc::clone(self), number, address, close }))
    }

    /// Waits until no connection is open.
    pub(crate) async fn emptied(&self) {
        while self.len() > 0 {
            self.changed.notified().await;
        }
    }

    /// Returns the number of open connections.
    pub(crate) fn len(&self) -> usize {
        self.lock().open.len()
    }

    /// Closes the waiting connections. With `served`, also closes the served ones.
    pub(crate) fn close(&self, served: bool) {
        let mut table = self.lock();
        let closed = table.open.values().filter(|open| served || open.waits.is_some());
        closed.for_each(|open| open.close.notify_one());
        table.open.retain(|_, open| !served && open.waits.is_none());
        self.changed.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        // No code panics while it holds the lock, so a poisoned lock is still valid.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// Returns the number of the connection that waits longest, of those that `may_be` accepts.
    /// Connections of the address with the most connections come first. `None` if no such
    /// connection waits.
    fn longest_waiting(&self, may_be: impl Fn(&Open) -> bool) -> Option<u64> {
        let mut counts: BTreeMap<IpAddr, usize> = BTreeMap::new();
        self.open.values().for_each(|open| *counts.entry(open.address).or_default() += 1);
        let waiting =
            self.open.iter().filter(|(_, open)| may_be(open)).filter_map(|(&number, open)| {
                Some((Reverse(counts[&open.address]), open.waits?, number))
            });
        waiting.min().map(|(.., number)| number)
    }

    /// Counts a connection that was closed or refused because of a limit. Logs the count from time
    /// to time.
    fn note(&mut self) {
        self.unlogged += 1;
        if self.logged.is_none_or(|logged| logged.elapsed() >= LOG_EVERY) {
            let (open, found) = (self.open.len(), self.unlogged);
            tracing::warn!(
                open,
                found,
                "as many connections as may be: those that wait are closed"
            );
            self.logged = Some(Instant::now());
            self.unlogged = 0;
        }
    }
}

impl Connection {
    /// Returns the client's address. For IPv6, returns its /64 network, which belongs to one
    /// customer.
    pub(crate) fn address(&self) -> IpAddr {
        self.address
    }

    /// Sets whether the connection is served: a complete request was read, and its reply is not
    /// finished.
    pub(crate) fn set_served(&self, is_served: bool) {
        if let Some(open) = self.connections.lock().open.get_mut(&self.number) {
            open.waits = (!is_served).then(Instant::now);
        }
        if !is_served {
            self.connections.changed.notify_one();
        }
    }
}

impl Place {
    /// Returns the connection that has this place.
    pub(crate) fn connection(&self) -> &Connection {
        &self.0
    }

    /// Waits until the connection is asked to close.
    pub(crate) async fn closed(&self) {
        self.0.close.notified().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.connections.lock().open.remove(&self.0.number);
        self.0.connections.changed.notify_one();
    }
}

/// Returns an IPv4 address unchanged. Returns the first 64 bits of an IPv6 address, and the rest as
/// zeros.
fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) if !address.is_loopback() => {
            IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)))
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections(all: usize, of_address: usize) -> Arc<Connections> {
        Connections::new(Bounds { all, of_address })
    }

    fn address(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    /// Whether a connection was asked to close.
    async fn is_closed(place: &Place) -> bool {
        tokio::time::timeout(Duration::ZERO, place.closed()).await.is_ok()
    }

    fn place(connections: &Arc<Connections>, last: u8) -> Place {
        connections.try_place(address(last)).expect("there is room")
    }

    /// Asks for a place when there is none yet.
    fn ask(connections: &Arc<Connections>, last: u8) {
        assert_eq!(connections.try_place(address(last)).unwrap_err(), NoPlace::Yet);
    }

    #[tokio::test]
    async fn who_has_waited_longest_makes_room_and_who_is_served_does_not() {
        let connections = connections(3, 3);
        let mut places: Vec<_> = (1..=3).map(|last| place(&connections, last)).collect();
        places[0].connection().set_served(true);
        // One connection is closed for the new one, however often it asks.
        ask(&connections, 4);
        ask(&connections, 4);
        assert!(!is_closed(&places[0]).await && is_closed(&places[1]).await);
        assert!(!is_closed(&places[2]).await);
        places.remove(1);
        let _new = place(&connections, 4);
        assert_eq!(connections.len(), 3);
    }

    #[tokio::test]
    async fn the_address_with_the_most_connections_makes_room() {
        let connections = connections(5, 5);
        let old = place(&connections, 1);
        let many: Vec<_> = (0..4).map(|_| place(&connections, 2)).collect();
        ask(&connections, 3);
        assert!(!is_closed(&old).await && is_closed(&many[0]).await);
    }

    #[tokio::test]
    async fn an_address_has_its_own_bound() {
        let connections = connections(10, 2);
        let mut own: Vec<_> = (0..2).map(|_| place(&connections, 1)).collect();
        own.iter().for_each(|place| place.connection().set_served(true));
        assert_eq!(connections.try_place(address(1)).unwrap_err(), NoPlace::Address);
        assert!(connections.place(address(1)).await.is_none());
        drop(place(&connections, 2));
        own[1].connection().set_served(false);
        ask(&connections, 1);
        assert!(is_closed(&own[1]).await && !is_closed(&own[0]).await);
        own.pop();
        place(&connections, 1);
    }

    #[tokio::test]
    async fn where_all_are_served_a_new_one_waits() {
        let connections = connections(1, 1);
        let first = place(&connections, 1);
        first.connection().set_served(true);
        ask(&connections, 2);
        let asked = Arc::clone(&connections);
        let waits = tokio::spawn(async move { asked.place(address(2)).await.is_some() });
        tokio::task::yield_now().await;
        assert!(!waits.is_finished());
        drop(first);
        assert!(waits.await.expect("it does not panic"));
        connections.emptied().await;
    }

    #[test]
    fn a_network_of_ipv6_is_one_client() {
        let of = |text: &str| network_of(text.parse().expect("an address"));
        assert_eq!(of("2001:db8:1:2:3:4:5:6"), of("2001:db8:1:2::1"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_eq!(of("::ffff:10.0.0.1"), of("10.0.0.1"));
        assert_eq!(of("::1").to_string(), "::1");
    }
}
