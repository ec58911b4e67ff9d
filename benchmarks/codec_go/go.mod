module zeps.example/bench

go 1.23

require (
	google.golang.org/protobuf v1.36.11
	zeps.example/wire v0.0.0
)

replace zeps.example/wire => ../../generated/go
