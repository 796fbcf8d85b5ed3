/// The vectors of draft-yun-cfrg-arc for ARCV1-P256, as swift-crypto 4.5 has them. All in hexadecimal.
enum DraftVectors {
    static let serverKey = [
        "X0": "0232b5e93dc2ff489c20a986a84757c5cc4512f057e1ea92011a26d3ad2c5628"
            + "8d",
        "X1": "03c413230a9bd956718aa46138a33f774f4c708d61c1d6400d404243049d4a31"
            + "dc",
        "X2": "02db00f6f8e6d235786a120017bd356fe1c9d09069d3ac9352cc9be10ef1505a"
            + "55",
        "x0": "3338fa65ec36e0290022b48eb562889d89dbfa691d1cde91517fa222ed7ad364",
        "x1": "f9db001266677f62c095021db018cd8cbb55941d4073698ce45c405d1348b7b1",
        "x2": "350e8040f828bf6ceca27405420cdf3d63cb3aef005f40ba51943c8026877963",
        "xb": "fd293126bb49a6d793cd77d7db960f5692fec3b7ec07602c60cd32aee595dffd",
    ]

    static let credentialRequest = [
        "m1": "eedfe7939e2382934ab5b0f76aae44124955d2c5ebf9b41d88786259c34692d2",
        "m1_enc": "03b8f11506a5302424143573e087fa20195cb5e893a67ef354eae3a78e263c54"
            + "e4",
        "m2": "911fb315257d9ae29d47ecb48c6fa27074dee6860a0489f8db6ac9a486be6a3e",
        "m2_enc": "03f1ae4d7b78ba8030bd63859d4f4a909395c52bda34716b6620a2fdd52b336f"
            + "c9",
        "proof": "0f361327abbc724ff0d37db365065bc4bd60e18125842bb4c03a7e5a632a1e95"
            + "e74dcc440fcb9fb39106922e0d2544e6c82ca710abf35e8b10bf5d61296c9adb"
            + "7d683eaed9a76a755b73f2b4b6e763a7c7883ce4b5c21bd02cd96b9af18cfb22"
            + "7f1acb4ead77c85049d291ed7841405610843f163e9cc2f6a8869111582324cd"
            + "32bf13000c129d274ccf5386cb90e839916d5dff7eade18e3eabec415f613911",
        "r1": "008035081690bfde3b1e68b91443c22cc791d244340fe957d5aa44d7313740df",
        "r2": "d59c5e6ff560cc597c2b8ca25256c720bceca2ab03921492c5e9e4ad3b558002",
        "request_context": "74657374207265717565737420636f6e74657874",
    ]

    static let credentialResponse = [
        "H_aux": "03d3cd09eeb8d19716586a49260c69309c495a717a36cad3381f6c02ac80b70e"
            + "64",
        "U": "033ee1ebbcff622bc26b10932ed1eb147226d832048fb2337dc0ad7722cb0748"
            + "3d",
        "X0_aux": "02d453c121324114367906bd11ffc3b6e6a77b75382497279b1a60ab8412c1de"
            + "c6",
        "X1_aux": "03b0e4b1f376c6207bf34efda46ce54b132a20b90bc28b9152f3e441fe2b508b"
            + "63",
        "X2_aux": "0327369efcb7577abaeb7b56940e6e042126900bdf8bd8944c0adbb7be3ad98e"
            + "2a",
        "b": "e699140babbe599f7dd8f6e3e8f615e5f201d1c2b0bc2f821f19e80a0a0e1e7b",
        "enc_U_prime": "035b8e09ce8776f1a2c7ef8610c9a6a39936c5666ab8b28d6629d36850567164"
            + "82",
        "proof": "dd4596175db0b4273fcdff330370d2b5e7a4bf92bf518141f4553af37ef0e126"
            + "0cb8312affc2462800adba102117448b449985d1704d8afd0df9ac708231561d"
            + "ca56faae325cb56b0a9e8ad07bdc6ce90f6e7430090e970a7240e289218de7a1"
            + "7672bea9a66187d102ffef976fb01af69d8d3aa3156a5a4223dc6d08b8ce9f1d"
            + "2639a2edc7052404bf1410adf6c41465bd687e3dfa5372ea71f804b56d947bae"
            + "9482e5707f42dbe35f8b0e11b4a0d27a5a01e1b9a75b66d82b7945eb0b002ee4"
            + "00bebcdc4c3133f804b22bd2d771762058cc35a5033365d2e15150fe46d3b0e9"
            + "8e18ee55f0451b0b171420f73592292e4ff50603c1f0d7769dbd090936090f63",
    ]

    static let credential = [
        "U": "033ee1ebbcff622bc26b10932ed1eb147226d832048fb2337dc0ad7722cb0748"
            + "3d",
        "U_prime": "02637fe04cc143281ee607bd8f898e670293dce44a2840b9cbb9e0d1fc7a2b29"
            + "b4",
        "X1": "03c413230a9bd956718aa46138a33f774f4c708d61c1d6400d404243049d4a31"
            + "dc",
        "m1": "eedfe7939e2382934ab5b0f76aae44124955d2c5ebf9b41d88786259c34692d2",
    ]

    /// With the nonces 0 and 1.
    static let presentations = [
        [
            "U": "032704f22133d2ec70f9e6f4bbf64c582220b666f2e2c1d37c3f8995a2a5568c"
                + "7e",
            "U_prime_commit": "03533cf1b2fd53a0716e02425eb42e4c55835aa6b2992d364cba70810d0f8aeb"
                + "51",
            "a": "b78e57df8f0a95d102ff12bbb97e15ed35c23e54f9b4483d30b76772ee60d886",
            "m1_commit": "03e412408579105213ed10b6447c85bcd672ba73ecae1e21c463d0df4ef7beb8"
                + "14",
            "presentation_context": "746573742070726573656e746174696f6e20636f6e74657874",
            "proof": "a558da5f17c04adcb0898827aaded14be1dc612dcd12b0579c11bb387ce9ae4b"
                + "7dbcb3bbe413caaaf754d99e5a342abb7e0041458d670f4b58eda37e745a6752"
                + "95d7a7b86248141d6547b53d793e5c77896ec4dc8dd438ab66d9c8b43ef6b060"
                + "938a1ca793057b154970ebc3c7ec3a23134e0852d0041f9098ce77311e5b5eca"
                + "0000000000000000000000000000000000000000000000000000000000000004",
            "r": "42252210dd60ddbbf1a57e3b144e26dd693b7644a9626a8c36896ede53d12930",
            "tag": "031a774fd87a8f18f6420bea43cf5425e7426eec8ba7b8df5c13dc05f10ec652"
                + "d9",
            "z": "f5a4bbcf14e55e357df9f5ccb5ded37b2b14bc2e1a68e31f86416f0606ee75d1",
        ],
        [
            "U": "035fd233dee2c147155c6008ea64941b6ff7b315aced12531468f2e27bf22e3e"
                + "f0",
            "U_prime_commit": "02434af337b87fd21d1e3d950aebfc8033a3d2e9dd2bb8b9e795348807875449"
                + "6d",
            "a": "95bcf45150a61f5c44a6cfbf343cd9e0f593f127b6f49bec0f9b20f0550504a2",
            "m1_commit": "02a578fd3a84eb5b657367b02de39b45fd48ab7781ef8f94efe601274a5ded2a"
                + "07",
            "presentation_context": "746573742070726573656e746174696f6e20636f6e74657874",
            "proof": "050965cde906fc4723333b100ce0fd9f7b026315f1db16984d4cccb2bc4aa65e"
                + "b7a17f5b8dfe4f14d40006506ee5fb323e829dd4cb9dc3c455b2e04dd691600a"
                + "ec3cc3f1939198a80acb78b7f90b3bff769cab890f33e4d69b7c302d21ad35ec"
                + "457d048d3ed7d13ee82c3c0aac2129ad0c8375cf29cd8ea3948a16b9247b1cc5"
                + "faf69a3116f903b9dcccc4eff31f026041e49797b53c87eca66cfe1040187ef7",
            "r": "d7ed72750b6d366ed0febdc539b52d89434f468a578c59d7ca9015b7da240ad6",
            "tag": "03084fe6fff0ecc7c33ef5c49b492dda38083f52e9a2b70b88f3d4b4ba7b50af"
                + "ba",
            "z": "91eedfb168c556ff5ca3b89d047f482c9279b47f584aab6c7f895f7674251771",
        ],
    ]
}
