import ThrongReport

extension TemplateView {
    func views(_ name: String) -> [TemplateView] { self[name] as? [TemplateView] ?? [] }

    func texts(_ name: String) -> [String] { self[name] as? [String] ?? [] }
}
