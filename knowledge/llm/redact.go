package llm

import "errors"

// redact makes of texts what the endpoint may see: on this machine everything.
func (c *Client) redact(to *endpoint, texts []string) (Redaction, error) {
	if to.local || c.config.Redact == nil {
		return Redaction{Messages: texts}, nil
	}
	redaction, err := c.config.Redact(texts)
	if err == nil && len(redaction.Messages) != len(texts) {
		err = errors.New("the redaction lost a message") // better nothing than the wrong thing
	}
	if err != nil {
		return Redaction{}, to.fail(NotPermitted, "", err)
	}
	return redaction, nil
}
