// Package wire has the messages of Weaviate's gRPC interface that package weaviate exchanges, made from wire.proto.
//
// The generator needs protoc 3.21 (Debian's protobuf-compiler), and in the PATH
//
//	go install google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12
//	go install google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2
package wire

//go:generate protoc --go_out=. --go_opt=paths=source_relative --go-grpc_out=. --go-grpc_opt=paths=source_relative wire.proto
