/// The families that operating systems are gathered into.
package enum OperatingSystemFamily {
    /// The families of a plan that names none. Further ones that can be named: any family of uap-core, as it spells it,
    /// and what the table below makes of it, such as "BSD".
    package static let standard = ["Windows", "macOS", "iOS", "Android", "Linux", "ChromeOS"]

    /// The family that one of uap-core's belongs to; itself where the table has no other.
    static func folded(_ family: String) -> String { table[family] ?? family }

    /// uap-core's families: distributions of one system are told apart there, and older names live on.
    static let table: [String: String] = [
        "Mac OS X": "macOS", "Mac OS": "macOS", "iPadOS": "iOS", "iPhone OS": "iOS", "Chrome OS": "ChromeOS",
        "ATV OS X": "tvOS", "WatchOS": "watchOS",
        "Windows NT": "Windows", "Windows XP": "Windows", "Windows Vista": "Windows", "Windows 7": "Windows",
        "Windows 8": "Windows", "Windows 8.1": "Windows", "Windows 10": "Windows", "Windows 95": "Windows",
        "Windows 98": "Windows", "Windows ME": "Windows", "Windows 2000": "Windows",
        "Arch Linux": "Linux", "CentOS": "Linux", "Debian": "Linux", "Fedora": "Linux", "Gentoo": "Linux",
        "Kubuntu": "Linux", "Linux Mint": "Linux", "Mandriva": "Linux", "Mint": "Linux", "PCLinuxOS": "Linux",
        "Puppy": "Linux", "Red Hat": "Linux", "SUSE": "Linux", "Slackware": "Linux", "Ubuntu": "Linux",
        "VectorLinux": "Linux", "Lubuntu": "Linux", "Xubuntu": "Linux", "openSUSE": "Linux",
        "DragonFly": "BSD", "FreeBSD": "BSD", "NetBSD": "BSD", "OpenBSD": "BSD",
    ]
}
