module zeps.example/wire

go 1.21
