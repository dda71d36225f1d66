for (;;);

export {}
