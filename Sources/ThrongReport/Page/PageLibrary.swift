internal import Mustache

/// Templates that are compiled into a program, and the escaping that every one of them has.
package struct PageLibrary: Sendable {
    private let library: MustacheLibrary

    /// Parses templates once.
    ///
    /// - Parameter templates: by their names.
    /// - Throws: ``ReportError/template(name:reason:)`` where one does not parse.
    package init(_ templates: [(name: String, bytes: [UInt8])]) throws(ReportError) {
        MustacheContentTypes.register(PageText(), named: PageText.name)
        var library = MustacheLibrary()
        for template in templates {
            // Every template names the escaping itself, so that it holds also where one is rendered alone.
            let text = "{{% CONTENT_TYPE: \(PageText.name)}}" + String(decoding: template.bytes, as: UTF8.self)
            do {
                try library.register(text, named: template.name)
            } catch {
                throw .template(name: template.name, reason: "\(error)")
            }
        }
        self.library = library
    }

    /// A view as text.
    ///
    /// - Throws: ``ReportError/template(name:reason:)`` where there is no such template.
    package func rendered(_ view: Any, by template: String) throws(ReportError) -> String {
        guard let page = library.render(view, withTemplate: template) else {
            throw .template(name: template, reason: "it is missing")
        }
        return page
    }
}

/// What all pages look like.
package enum PageStyle {
    /// Type scale, colours for light, dark and print, tiles, tables, marks of withheld numbers.
    package static let base = String(decoding: PackageResources.report_css, as: UTF8.self)
    /// What reports lack: links in a text, forms and buttons.
    package static let controls = String(decoding: PackageResources.controls_css, as: UTF8.self)
}
