/// What a report says about a number that the plan rules out: everybody knows that it is zero.
public enum Impossible {
    /// What stands in a table or a chart where the number would be.
    public static let marker = "cannot occur"
}
