package agents

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"lacuna/handlers/messages"
	"lacuna/knowledge"
	"lacuna/knowledge/passage"
)

// The addresses of resources. Names of files may name people, so what is listed has numbers instead.
const (
	documentAddress = "lacuna://document/"
	fileAddress     = "lacuna://file/"
)

const (
	onePage      = 100      // resources in one reply
	longestRead  = 32 << 10 // bytes of text of a document in one reply
	resourceType = "application/json"
)

func (s *server) addResources(m *mcp.Server) {
	read := func(template, name, description string, run func(ctx context.Context, address string) (reply, error)) {
		m.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: template, Name: name, Description: description, MIMEType: resourceType},
			func(ctx context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				_, body, err := give(withProgress(ctx, request.Session, request.Params), s, request.ClientInfo(), "read "+name, func(ctx context.Context) (reply, error) { return run(ctx, request.Params.URI) })
				if err != nil {
					return nil, err
				}
				return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: request.Params.URI, MIMEType: resourceType, Text: string(body), Meta: mcp.Meta{"lacuna/data": true}}}}, nil
			})
	}
	read(documentAddress+"{id}", "document", messages.ResourceDocument, s.readDocument)
	read(documentAddress+"{id}/{from}", "document-part", messages.ResourcePart, s.readDocument)
	read(fileAddress+"{+file}", "file", messages.ResourceFile, s.readFile)
	read(gapAddress+"{id}", "gap", messages.ResourceGap, s.readGap)
	m.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
			if list, is := request.(*mcp.ListResourcesRequest); is && method == "resources/list" {
				return s.listResources(ctx, list)
			}
			return next(ctx, method, request)
		}
	})
}

// document is what was read of a file.
type document struct {
	id, file string
	passages []*passage.Passage // in order
}

// documents returns what an agent may be given of each file, by source and file.
func documents(library *knowledge.Library) []document {
	type key struct{ source, file string }
	number := make(map[key]int)
	var all []document
	for _, p := range library.Passages() {
		if p.Private {
			continue
		}
		k := key{p.Source, p.Place.File}
		i, known := number[k]
		if !known {
			i, number[k] = len(all), len(all)
			all = append(all, document{id: digest(p.Source, p.Place.File), file: p.Place.File})
		}
		all[i].passages = append(all[i].passages, p)
	}
	return all
}

// resourceList is a page of the resources.
type resourceList struct {
	Resources []*mcp.Resource `json:"resources"`
	next      string
}

func (l *resourceList) texts() (all []text) {
	for _, r := range l.Resources {
		all = append(all, text{&r.Title, &r.Name})
	}
	return all
}

func (s *server) listResources(ctx context.Context, request *mcp.ListResourcesRequest) (*mcp.ListResourcesResult, error) {
	result := &mcp.ListResourcesResult{Resources: []*mcp.Resource{}, Cacheable: mcp.Cacheable{CacheScope: "private"}}
	if !s.Workspace.AgentAllowed(agentOf(request.ClientInfo())) {
		return result, nil // what is read or called says why
	}
	cursor := ""
	if request.Params != nil {
		cursor = request.Params.Cursor
		ctx = withProgress(ctx, request.Session, request.Params)
	}
	list, _, err := give(ctx, s, request.ClientInfo(), "list resources", func(ctx context.Context) (*resourceList, error) { return s.resources(ctx, cursor) })
	if err != nil {
		return nil, err
	}
	result.Resources, result.NextCursor = list.Resources, list.next
	return result, nil
}

func (s *server) resources(ctx context.Context, cursor string) (*resourceList, error) {
	library, err := s.library(ctx)
	if err != nil {
		return nil, err
	}
	gaps, err := s.workspaceGaps(ctx, library)
	if err != nil {
		return nil, err
	}
	list := &resourceList{Resources: []*mcp.Resource{}}
	for _, d := range documents(library) {
		first := d.passages[0]
		title := cmp.Or(first.Title, path.Base(first.Record))
		list.Resources = append(list.Resources, &mcp.Resource{URI: documentAddress + d.id, Name: s.place(first.Place).File, Title: title, Description: messages.ResourceDocument, MIMEType: resourceType})
	}
	for _, g := range gaps {
		list.Resources = append(list.Resources, &mcp.Resource{URI: gapAddress + gapID(g), Name: g.Gap.Text, Title: g.Ref.Text, Description: messages.ResourceGap, MIMEType: resourceType})
	}
	addresses := make([]string, len(list.Resources))
	for i, r := range list.Resources {
		addresses[i] = r.URI
	}
	from, to, next, err := page(cursor, digest(addresses...), len(addresses), onePage)
	if err != nil {
		return nil, err
	}
	list.Resources, list.next = list.Resources[from:to], next
	return list, nil
}

// documentOutput is what was read of a document, or a part of it.
type documentOutput struct {
	Data     string        `json:"data"`
	File     string        `json:"file"`
	Source   string        `json:"source"`
	Passages []readPassage `json:"passages"`
	Next     string        `json:"next,omitempty"`
}

type readPassage struct {
	Question string `json:"question,omitempty"` // of a stored question, to which the text is the answer
	Quote
}

func (o *documentOutput) texts() []text {
	all := []text{{&o.File}}
	for i := range o.Passages {
		p := &o.Passages[i]
		all = append(all, append(text{&p.Question}, p.Quote.texts()[0]...), p.Quote.texts()[1])
	}
	return all
}

func (s *server) readDocument(ctx context.Context, address string) (reply, error) {
	id, part, _ := strings.Cut(strings.TrimPrefix(address, documentAddress), "/")
	from, err := strconv.Atoi(cmp.Or(part, "0"))
	if err != nil {
		return nil, mcp.ResourceNotFoundError(address)
	}
	return s.read(ctx, address, from, func(d document) bool { return d.id == id })
}

func (s *server) readFile(ctx context.Context, address string) (reply, error) {
	name := unescape(strings.TrimPrefix(address, fileAddress))
	return s.read(ctx, address, 0, func(d document) bool { return s.place(d.passages[0].Place).File == name })
}

// unescape replaces the escapes of an address, "%20".
func unescape(address string) string {
	var text []byte
	for i := 0; i < len(address); i++ {
		if i+2 < len(address) && address[i] == '%' {
			if b, err := hex.DecodeString(address[i+1 : i+3]); err == nil {
				text = append(text, b[0])
				i += 2
				continue
			}
		}
		text = append(text, address[i])
	}
	return string(text)
}

func (s *server) read(ctx context.Context, address string, from int, is func(document) bool) (reply, error) {
	library, err := s.library(ctx)
	if err != nil {
		return nil, err
	}
	all := documents(library)
	i := slices.IndexFunc(all, is)
	if i < 0 || from < 0 || from >= len(all[i].passages) {
		return nil, mcp.ResourceNotFoundError(address)
	}
	d := all[i]
	out := &documentOutput{Data: messages.AgentData, File: s.place(d.passages[0].Place).File, Source: d.passages[0].Source}
	size := 0
	for k, p := range d.passages[from:] {
		whole := passage.Span{End: len(p.Text)}
		shown := p.Render().Span(whole)
		if size += len(shown) + len(p.Question); size > longestRead && k > 0 {
			out.Next = fmt.Sprintf("%s%s/%d", documentAddress, d.id, from+k)
			break
		}
		out.Passages = append(out.Passages, readPassage{p.Question, s.quote(p, whole, shown)})
	}
	return out, nil
}

func (s *server) readGap(ctx context.Context, address string) (reply, error) {
	library, err := s.library(ctx)
	if err != nil {
		return nil, err
	}
	gaps, err := s.workspaceGaps(ctx, library)
	if err != nil {
		return nil, err
	}
	for _, g := range gaps {
		if address == gapAddress+gapID(g) {
			out := s.noted(g)
			return &out, nil
		}
	}
	return nil, mcp.ResourceNotFoundError(address)
}
