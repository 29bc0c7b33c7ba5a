package answer

func misknowSystems() []System { return nil }
