module zeps.example/wire/driver

go 1.21

require zeps.example/wire v0.0.0

replace zeps.example/wire => ../
