import Synchronization
import Testing

@testable import ThrongServer

@Suite("A listener that is full gives the places of the silent to newcomers")
struct ConnectionRoomTests {
    private final class Closings: Sendable {
        let closed = Mutex<[Int]>([])

        func place(_ number: Int, from address: String) -> ConnectionPlace {
            ConnectionPlace(NetworkPrefix(ClientAddress(address))) {
                self.closed.withLock { $0.append(number) }
            }
        }
    }

    @Test("networks are those of one holder: 256 addresses of IPv4, a /48 of IPv6; IPv4 in IPv6's clothes is IPv4")
    func networks() {
        func prefix(_ address: String) -> NetworkPrefix {
            NetworkPrefix(ClientAddress(address))
        }
        #expect(prefix("192.0.2.1") == prefix("192.0.2.255"))
        #expect(prefix("192.0.2.1") != prefix("192.0.3.1"))
        #expect(prefix("::ffff:192.0.2.7") == prefix("192.0.2.1"))
        #expect(prefix("2001:db8:1:2::1") == prefix("2001:db8:1:ffff::2"))
        #expect(prefix("2001:db8:1::1") != prefix("2001:db8:2::1"))
        #expect(prefix("::c000:2") != prefix("192.0.2.1"))
        #expect(NetworkPrefix(nil) == .unknown)
        // However somebody prints them, they say nothing.
        let address = ClientAddress("192.0.2.77")
        var dumped = ""
        dump((address, NetworkPrefix(address)), to: &dumped)
        for text in [dumped, "\(address as Any) \(NetworkPrefix(address))", String(reflecting: NetworkPrefix(address))]
        {
            #expect(!text.contains("192") && !text.contains("77"), "\(text)")
        }
    }

    @Test("while there is room nobody goes; then the longest silent one of the largest network does")
    func newcomers() {
        let closings = Closings()
        let room = ConnectionRoom(places: 4)
        let quiet = closings.place(0, from: "198.51.100.1")
        let many = (1...3).map { closings.place($0, from: "192.0.2.\($0)") }
        for place in [quiet] + many { #expect(room.enter(place) == nil) }
        // The first and the third of the many have said something; the second never did.
        many[2].hear()
        many[0].hear()
        let newcomer = closings.place(9, from: "203.0.113.5")
        let leaving = room.enter(newcomer)
        #expect(leaving === many[1])
        leaving?.giveUp()
        #expect(closings.closed.withLock { $0 } == [2])
        #expect(room.taken == 4)
        room.leave(many[1])
        #expect(room.taken == 4, "who gave up a place has none to leave")
        room.leave(newcomer)
        room.leave(newcomer)
        #expect(room.taken == 3)
        // Of those who have spoken, the one goes that did so first.
        _ = room.enter(closings.place(10, from: "192.0.2.9"))
        #expect(room.enter(closings.place(11, from: "192.0.2.10"))?.network == many[0].network)
        #expect(many[0].index != nil && many[2].index != nil, "a newcomer that says nothing goes before them")
    }

    @Test("a flood of one network takes places from itself alone, whatever others do", arguments: [16, 64, 1000])
    func flood(places: Int) {
        let closings = Closings()
        let room = ConnectionRoom(places: places)
        let others = (0..<6).map { closings.place($0, from: "198.51.\($0).1") }
        for place in others { #expect(room.enter(place) == nil) }
        for number in 0..<(5 * places) {
            room.enter(closings.place(100 + number, from: "192.0.2.\(number % 256)"))?.giveUp()
        }
        #expect(room.taken == places)
        let closed = closings.closed.withLock { $0 }
        #expect(closed.count == 4 * places + 6 && closed.allSatisfy { $0 >= 100 })
        #expect(others.allSatisfy { $0.index != nil })
    }

    @Test("who comes from everywhere takes the places of those who are silent in turn, and all are given back")
    func everywhere() {
        let closings = Closings()
        let room = ConnectionRoom(places: 50)
        var open: [ObjectIdentifier: ConnectionPlace] = [:]
        for number in 0..<5000 {
            let place = closings.place(number, from: "10.\(number % 250).\(number / 250).1")
            if let leaving = room.enter(place) { open[ObjectIdentifier(leaving)] = nil }
            open[ObjectIdentifier(place)] = place
            #expect(room.taken <= 50)
        }
        #expect(open.count == 50 && room.taken == 50)
        for place in open.values { room.leave(place) }
        #expect(room.taken == 0)
    }
}
