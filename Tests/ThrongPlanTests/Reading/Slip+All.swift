extension Slip {
    /// One for every rule of the reader; places and words are part of its promise.
    static let all: [Slip] =
        shape + names + values + dimensions + metrics + insights + reports + hierarchies + disclosure

    static let shape = [
        Slip("  contact: team@example.com\n", "", "1:1: app: 'contact' is missing; add it"),
        Slip("  name: app", "\tname: app", "2:1: found a tab in the indentation; YAML allows only spaces there"),
        Slip("An App", "An\0App", "3:12: found a NUL character; a plan is plain text: delete it"),
        Slip(
            "bank:\n", "bank: &b\n",
            "45:9: found the anchor '&b'; anchors and aliases are not allowed: write the value out where it is used"),
        Slip(
            "title: Bank", "title: Bank\n    <<: {a: b}",
            "47:5: found the merge key '<<'; it is not allowed: write the keys out"),
        Slip(
            "title: Bank", "title: !secret Bank", "46:12: found the tag '!secret'; tags are not allowed: leave it out"),
        Slip(
            "title: Bank", "title: *bank",
            "46:12: this is not YAML: found undefined alias; one document is allowed, without aliases"),
        Slip(
            "title: Bank", "title: [Bank]",
            "46:12: partner 'bank': 'title': found a list; a text is allowed, or a mapping of languages to texts"),
        Slip("title: Bank", "title:", "46:5: partner 'bank': 'title' has no value; give it one or leave the key out"),
        Slip(
            "title: Bank", "title: 'Bank",
            """
            55:29: this is not YAML while scanning a quoted scalar that starts at line 46: found unexpected end of \
            stream
            """
        ),
    ]

    static let names = [
        Slip(
            "  audience: 20000", "  audience: 20000\n  treshold: 20",
            """
            7:3: app: unknown key 'treshold'; did you mean 'threshold'? known: name, title, owner, contact, \
            audience, threshold, budget, time_zone, grace, directed_to, relay, evaluator, keys
            """
        ),
        Slip(
            "name: app", "name: App",
            "2:9: app: 'name': 'App' is no app name; 1 to 63 of a-z, 0-9 and _ are allowed, a letter first"),
        Slip(
            "events: [view]", "events: [view, 2nd]",
            """
            26:20: metric 'views': 'events': '2nd' is no event name; 1 to 63 of a-z, 0-9 and _ are allowed, a letter \
            first
            """
        ),
        Slip(
            "events: [view]", "events: [view, view]",
            "26:20: metric 'views': 'events': 'view' is listed twice; keep one"),
        Slip(
            "events: [view]", "events: view", "26:13: metric 'views': 'events': found 'view'; a list is allowed: [view]"
        ),
        Slip(
            "purpose: product", "purpose: produkt",
            "31:14: metric 'views': 'purpose': unknown purpose 'produkt'; did you mean 'product'? known: product"),
        Slip(
            "dimensions: [os, age]", "dimensions: [os, aeg]",
            "32:22: metric 'views': 'dimensions': unknown dimension 'aeg'; did you mean 'age'? known: os, age"),
        Slip(
            "dimensions: [os, age]", "dimensions: [os, age, os]",
            "32:27: metric 'views': 'dimensions': 'os' is listed twice; keep one"),
        Slip(
            "metric: views", "metric: visits",
            "41:13: insight 'by_system': 'metric': unknown metric 'visits'; known: views"),
        Slip(
            "partner: bank", "partner: tank",
            "51:14: report 'daily': 'partner': unknown partner 'tank'; did you mean 'bank'? known: bank"),
        Slip(
            "insights: [by_system]", "insights: [by_systems]",
            """
            52:16: report 'daily': 'insights': unknown insight 'by_systems'; did you mean 'by_system'? known: \
            by_system
            """
        ),
        Slip(
            "  age:\n", "  os: {title: X, field: x, list: [a]}\n  age:\n",
            "19:3: dimension 'os' is already declared in line 14; rename one of them"),
        Slip(
            "spent: {", "os: {",
            "34:5: metric 'views': 'measures': 'os' is a dimension or measure of this metric already; rename it"),
        Slip(
            "spent: {", "devices: {",
            """
            34:5: metric 'views': 'measures': every released table has a column 'devices' of its own; choose another \
            name, such as 'devices_kind'
            """
        ),
    ]

    static let values = [
        Slip(
            "audience: 20000", "audience: \"20000\"",
            "6:13: app: 'audience': found the text '20000'; a whole number from 1 to 10000000000 is allowed, without quotes"
        ),
        Slip(
            "audience: 20000", "audience: 20000\n  threshold: 4",
            "7:14: app: 'threshold' is 4 devices; at least 5 are needed: smaller groups point at people"),
        Slip(
            "audience: 20000", "audience: 20000\n  time_zone: Europe/Viena",
            """
            7:14: app: 'time_zone': unknown time zone 'Europe/Viena'; did you mean 'Europe/Vienna'? a name from the \
            IANA database is allowed, such as Europe/Vienna or UTC
            """
        ),
        Slip(
            "rotation: 1 day", "rotation: 30 seconds",
            "11:15: purpose 'product': 'rotation' is 30 seconds; 1 minute to 1 day is allowed"),
        Slip(
            "rotation: 1 day", "rotation: 25 hours",
            "11:15: purpose 'product': 'rotation' is 25 hours; 1 minute to 1 day is allowed"),
        Slip(
            "rotation: 1 day", "rotation: 15min",
            """
            11:15: purpose 'product': 'rotation': found '15min'; a whole number and a unit is allowed, such as 15 \
            minutes, 24 hours, 400 days
            """
        ),
        Slip(
            "consent: not_required", "consent: yes",
            "10:14: purpose 'product': 'consent': found 'yes'; allowed: required, not_required, parent"),
        Slip(
            "expires: 2027-06-30", "expires: 2027-06-31",
            "30:14: metric 'views': 'expires': found '2027-06-31'; a day that exists is allowed, such as 2026-11-21"),
        Slip(
            "expires: 2027-06-30", "expires: never",
            "30:14: metric 'views': 'expires': found 'never'; a day that exists is allowed, such as 2026-11-21"),
        Slip(
            "reach: true", "reach: yes",
            "37:14: metric 'views': 'measures': 'reach': found 'yes'; allowed: true, false, client, attested"),
    ]
}
