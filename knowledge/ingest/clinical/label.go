package clinical

import (
	"slices"
	"strings"
)

// product is a medicine of a drug label.
type product struct {
	name, form, route, code string
	generic                 []string
	active, inactive        []string
	line                    int
}

// label sets the title and names of a drug label, which are those of its products.
func (d *cda) label(root *node) error {
	var names, generics []string
	root.each(func(n *node) bool {
		if n.name == "manufacturedProduct" || n.name == "manufacturedMedicine" || n.name == "partProduct" {
			if name := n.child("name").words(); name != "" {
				names = appendNew(names, name)
			}
			for _, g := range n.all("asEntityWithGeneric") {
				if name := g.at("genericMedicine", "name").words(); name != "" {
					generics = appendNew(generics, strings.ToLower(name))
				}
			}
		}
		return n.name != "text"
	})
	long := d.Title
	switch {
	case len(names) > 0:
		d.Title = names[0]
		if len(generics) > 0 && !containsWords(d.Title, generics[0]) {
			d.Title += " (" + generics[0] + ")"
		}
		d.Aliases = appendNew(append(slices.Clone(names[:min(len(names), maxNames)]), generics[:min(len(generics), maxNames)]...))
		d.Aliases = slices.DeleteFunc(d.Aliases, func(name string) bool { return strings.EqualFold(name, d.Title) })
	case len(strings.Fields(long)) > maxTitleWords:
		d.Title = ""
	}
	if long != "" && !containsWords(d.Title, long) {
		return d.inside(root.child("title"), 0, 0)
	}
	return nil
}

// maxNames bounds the names taken from a label; kits list hundreds of allergens.
const maxNames = 16

// subject writes the products that a section of a label lists: name, form, strength, route and codes.
func (d *cda) subject(n *node) error {
	var err error
	n.each(func(c *node) bool {
		if err != nil || c.name != "manufacturedProduct" && c.name != "manufacturedMedicine" && c.name != "partProduct" || c.child("name") == nil {
			return err == nil
		}
		p := productOf(c, n)
		err = d.product(p)
		return true // a kit has parts
	})
	return err
}

func productOf(n, subject *node) product {
	p := product{name: n.child("name").words(), form: n.child("formCode").attrOr("displayName"), code: n.child("code").attrOr("code"), line: n.line}
	if suffix := n.at("name", "suffix").words(); suffix != "" && !strings.HasSuffix(p.name, suffix) {
		p.name += " " + suffix
	}
	for _, g := range n.all("asEntityWithGeneric") {
		p.generic = appendNew(p.generic, g.at("genericMedicine", "name").words())
	}
	substance := func(i *node) string {
		name := i.at("ingredientSubstance", "name").words()
		if name == "" {
			name = i.at("activeIngredientSubstance", "name").words()
		}
		if name == "" {
			name = i.at("inactiveIngredientSubstance", "name").words()
		}
		if q := i.child("quantity"); q != nil && name != "" {
			name += " " + strings.TrimSpace(q.child("numerator").value()+" "+unitOf(q.child("numerator")))
			if per := strings.TrimSpace(q.child("denominator").value() + " " + unitOf(q.child("denominator"))); per != "" && per != "1" {
				name += " in " + per
			}
		}
		return name
	}
	for _, i := range n.children {
		if i.name != "ingredient" && i.name != "activeIngredient" && i.name != "inactiveIngredient" {
			continue
		}
		if name := substance(i); name == "" {
			continue
		} else if strings.HasPrefix(i.attr("classCode"), "ACT") || i.name == "activeIngredient" {
			p.active = appendNew(p.active, name)
		} else {
			p.inactive = appendNew(p.inactive, name)
		}
	}
	subject.each(func(c *node) bool {
		if c.name == "routeCode" && p.route == "" {
			p.route = c.attr("displayName")
		}
		return p.route == ""
	})
	return p
}

// unitOf returns the unit of an amount; 1 means that there is none.
func unitOf(n *node) string {
	if unit := n.attrOr("unit"); unit != "1" {
		return unit
	}
	return ""
}

func (d *cda) product(p product) error {
	parts := []string{p.name}
	if generic := strings.Join(p.generic, ", "); generic != "" && !strings.EqualFold(generic, p.name) {
		parts[0] += " (" + generic + ")"
	}
	add := func(label, value string) {
		if value != "" {
			parts = append(parts, label+value)
		}
	}
	add("", strings.ToLower(p.form))
	add("active ingredients: ", strings.Join(p.active, ", "))
	add("route: ", strings.ToLower(p.route))
	add("code: ", p.code)
	if err := d.property("Product", strings.Join(parts, "; "), p.line); err != nil {
		return err
	}
	return d.property("Inactive ingredients", strings.Join(p.inactive, ", "), p.line)
}
