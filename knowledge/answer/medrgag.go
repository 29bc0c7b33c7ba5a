package answer

func medrgagSystems() []System { return nil }
